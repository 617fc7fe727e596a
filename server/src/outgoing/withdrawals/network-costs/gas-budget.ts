/**
 * Limits what a merchant costs the operator within 24 hours: the network fees of the merchant's transactions,
 * less the fees that the merchant paid. Pure.
 */
import { decimal } from '../../../core/money.ts'

/**
 * The default budget of each merchant within 24 hours, in the network's coin, by the symbol of the coin. The
 * setting `GAS_BUDGET_<NETWORK>` overrides it.
 */
export const gasBudgetDefaults: Readonly<Record<string, string>> = {
  ETH: '0.25',
  POL: '1000',
  BNB: '1',
  AVAX: '25',
  XDAI: '500',
}

/** Returns the default budget in the coin's smallest unit; 0 for a coin without a default. */
export function gasBudgetDefaultMinor({ symbol, decimals }: { symbol: string; decimals: number }): bigint {
  return decimal(gasBudgetDefaults[symbol] ?? '0', decimals)
}

export interface CostedOrder {
  readonly id: string
  readonly merchantId: string
  /** The most that the order's transaction may cost, in the smallest unit of the network's coin. */
  readonly costMinor: bigint
}

export interface BudgetVerdict {
  readonly within: readonly CostedOrder[]
  readonly beyond: readonly CostedOrder[]
}

/**
 * Decides which orders fit into their merchants' budgets, in the given order. An order that does not fit does
 * not stop a later, smaller order. One merchant's costs never count against another's budget.
 * @param netCostMinor by merchant: the costs of the merchant's transactions, including costs that may still
 * occur, less the fees that the merchant paid
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
