/** The network fees that the operator pays for orders, and the part of them that the merchant bears. */
import type { CheckedWorld, OrderState, OurPayment } from './checked-world.ts'
import type { ModelOrder } from './order.ts'

/** Limit of the network fees of one merchant's payments on a network in a day: the default budget, 0.25 ETH. */
const budgetMinor = 25n * 10n ** 16n
/**
 * Balances have at most eight decimal places, but ETH has eighteen. Charges are therefore multiples of this
 * step.
 */
const stepMinor = 10n ** 10n

/**
 * Returns the network fee that is charged to an order because its payment failed. A payment in ETH fails only
 * because of its recipient, so the order bears the fee. A token payment in the simulation does not call its
 * recipient, so its failure is charged to nobody.
 */
export function chargeOf(order: ModelOrder, state: OrderState, payments: readonly OurPayment[]): bigint {
  if (state !== 'failed' || order.asset.contract !== null) return 0n
  const feeMinor = payments
    .filter((payment) => payment.hasFailed && pays(order, payment))
    .reduce((total, one) => total + one.feeMinor, 0n)
  const chargedMinor = ((feeMinor + stepMinor - 1n) / stepMinor) * stepMinor
  return chargedMinor < order.amountMinor ? chargedMinor : order.amountMinor
}

/**
 * Checks that the orders of each merchant on a network cost the operator at most the budget of each simulated day,
 * added up over the run. This must hold for any recipients.
 */
export function findCostly(
  { model, chains, payments }: CheckedWorld,
  orders: ReadonlyMap<string, OrderState>,
): readonly string[] {
  return chains.flatMap(({ network }) =>
    findCostlyOn({ model, payments: payments.filter((one) => one.network === network) }, orders, network),
  )
}

function findCostlyOn(
  { model, payments }: Pick<CheckedWorld, 'model' | 'payments'>,
  orders: ReadonlyMap<string, OrderState>,
  network: string,
): readonly string[] {
  return model.merchants.flatMap((merchantId, index) => {
    const own = model.orders.filter(
      (order) => order.merchantId === merchantId && order.asset.network === network,
    )
    const chargedMinor = own.reduce(
      (total, order) => total + chargeOf(order, orders.get(order.id) ?? 'unknown', payments),
      0n,
    )
    const feesMinor = payments
      .filter((payment) => own.some((order) => pays(order, payment)))
      .reduce((total, { feeMinor }) => total + feeMinor, 0n)
    if (feesMinor - chargedMinor <= budgetMinor * BigInt(1 + model.days)) return []
    return [
      `the payments of merchant ${index + 1} on ${network} cost ${feesMinor}, of which it bore ${chargedMinor}`,
    ]
  })
}

function pays(
  { address, asset: { network, contract } }: ModelOrder,
  payment: Pick<OurPayment, 'network' | 'recipient' | 'contract'>,
): boolean {
  return payment.recipient === address && payment.network === network && payment.contract === contract
}
