/** How much more a merchant's payouts may cost the network's fees in a day than it paid in fees. Pure. */
import { decimal } from '../../../core/money.ts'

/** In ETH, for each merchant, within 24 hours; GAS_BUDGET_ETHEREUM sets another. */
export const gasBudgetDefault = '0.25'
export const gasBudgetDefaultMinor = decimal(gasBudgetDefault, 18)

export interface CostedOrder {
  readonly id: string
  readonly merchantId: string
  /** The most that its transaction may cost, in the network's coin. */
  readonly costMinor: bigint
}

export interface BudgetVerdict {
  readonly within: readonly CostedOrder[]
  readonly beyond: readonly CostedOrder[]
}

/**
 * Which orders fit into their merchants' budgets, in their order. A smaller one passes one that does not fit; no merchant's
 * costs count against another's budget.
 * @param netCostMinor by merchant, what its transactions cost or may yet cost, less the fees it paid
 */
export function fitBudgets(
  budgetMinor: bigint,
  netCostMinor: ReadonlyMap<string, bigint>,
  orders: readonly CostedOrder[],
): BudgetVerdict {
  const left = new Map<string, bigint>()
  const within: CostedOrder[] = []
  const beyond: CostedOrder[] = []
  for (const order of orders) {
    const { merchantId, costMinor } = order
    const leftMinor = left.get(merchantId) ?? budgetMinor - (netCostMinor.get(merchantId) ?? 0n)
    const fits = costMinor <= leftMinor
    left.set(merchantId, fits ? leftMinor - costMinor : leftMinor)
    if (fits) within.push(order)
    else beyond.push(order)
  }
  return { within, beyond }
}
