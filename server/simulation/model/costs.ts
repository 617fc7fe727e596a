/** What payments cost the operator on the chain, and which part of it a merchant has to bear. */
import type { CheckedWorld, OrderState, OurPayment } from './checked-world.ts'
import type { ModelOrder } from './model.ts'

/** What one merchant's payments may cost within a run, which takes less than a day: the default budget, 0.25 ETH. */
const budgetMinor = 25n * 10n ** 16n
/** Balances have at most eight decimal places, and the coin has eighteen. */
const stepMinor = 10n ** 10n

/**
 * Returns what an order lost because its payment failed. A payment of the coin fails only because of its recipient, so
 * the order bears the fee. The tokens of the catalogue call nobody, so nobody bears the failure of their payments.
 */
export function chargeOf(order: ModelOrder, state: OrderState, payments: readonly OurPayment[]): bigint {
  if (state !== 'failed' || order.asset.contract !== null) return 0n
  const feeMinor = payments
    .filter(({ hasFailed, recipient, contract }) => hasFailed && pays(order, { recipient, contract }))
    .reduce((total, one) => total + one.feeMinor, 0n)
  const chargedMinor = ((feeMinor + stepMinor - 1n) / stepMinor) * stepMinor
  return chargedMinor < order.amountMinor ? chargedMinor : order.amountMinor
}

/** No merchant's orders cost the operator more than the budget, whoever their recipients are. */
export function findCostly(
  { model, payments }: CheckedWorld,
  orders: ReadonlyMap<string, OrderState>,
): readonly string[] {
  return model.merchants.flatMap((merchantId, index) => {
    const own = model.orders.filter((order) => order.merchantId === merchantId)
    const chargedMinor = own.reduce(
      (total, order) => total + chargeOf(order, orders.get(order.id) ?? 'unknown', payments),
      0n,
    )
    const feesMinor = payments
      .filter((payment) => own.some((order) => pays(order, payment)))
      .reduce((total, { feeMinor }) => total + feeMinor, 0n)
    if (feesMinor - chargedMinor <= budgetMinor) return []
    return [`the payments of merchant ${index + 1} cost ${feesMinor}, of which it bore ${chargedMinor}`]
  })
}

function pays({ address, asset }: ModelOrder, payment: Pick<OurPayment, 'recipient' | 'contract'>): boolean {
  return payment.recipient === address && payment.contract === asset.contract
}
