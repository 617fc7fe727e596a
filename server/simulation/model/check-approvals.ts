/**
 * Checks that orders above the approval limit are paid only with an approval, and that only such orders wait for one.
 * The limit applies to the value of an order plus the orders of 24 hours that were sent without an approval, separately
 * for its merchant and its destination.
 */
import { groupBy } from '../../src/core/group-by.ts'
import type { Approvals } from './approvals.ts'
import type { CheckedWorld, OrderState } from './checked-world.ts'
import { isOf, isWithoutGas, type Model } from './model.ts'
import type { ModelOrder } from './order.ts'

const dayMs = 24 * 3_600_000

/** An order, and the time by which it must have been approved; undefined if it was never paid. */
interface Dated {
  readonly order: ModelOrder
  readonly paidMs: number | undefined
}

/**
 * Returns one sentence for each group of orders that lacks an approval, and for each rejected order that did not fail.
 */
export function findWrongApprovals(
  world: CheckedWorld,
  orders: ReadonlyMap<string, OrderState>,
): readonly string[] {
  const { approvals, isRestored } = world.model
  if (approvals === undefined) return []
  return [
    ...findUnapproved(world, approvals),
    ...(isRestored ? [] : findUnrejected(world, approvals, orders)),
  ]
}

/**
 * Checks that orders that were paid without an approval are together worth at most the limit, for each merchant and
 * each destination. Coffer decides about an order after it was requested and before its payment is mined. Two orders
 * certainly count in one sum if both were requested and mined within 24 hours. A restored database may lack earlier
 * orders, so only single orders are compared then.
 */
function findUnapproved(world: CheckedWorld, approvals: Approvals): readonly string[] {
  const left = world.model.orders
    .map((order) => ({ order, paidMs: paidMsOf(world, order) }))
    .filter(({ order, paidMs }) => {
      const { approvalAskedMs } = approvals.decisionsOf(order)
      return paidMs !== undefined && (approvalAskedMs === undefined || approvalAskedMs > paidMs)
    })
  const groups = world.model.isRestored
    ? left.map((one) => [one])
    : [
        ...groupBy(left, ({ order }) => order.merchantId).values(),
        ...groupBy(left, ({ order }) => order.address).values(),
      ]
  const found = groups.flatMap((group) => {
    const sums = group.map(({ order: { requestedMs } }) => {
      const inDay = group.filter(
        ({ order, paidMs = Infinity }) => order.requestedMs >= requestedMs && paidMs - requestedMs < dayMs,
      )
      return sumOf(approvals, inDay)
    })
    const largest = sums.reduce((most, sum) => (sum > most ? sum : most), 0n)
    if (largest <= approvals.aboveUsd) return []
    const what = `${group.length} orders of ${asUsd(largest)} USD in a day`
    return [`${what} left without an operator, who must agree above ${asUsd(approvals.aboveUsd)} USD`]
  })
  return [...new Set(found)]
}

/** Checks that each order whose rejection the API confirmed has failed. */
function findUnrejected(
  { model }: CheckedWorld,
  approvals: Approvals,
  orders: ReadonlyMap<string, OrderState>,
): readonly string[] {
  return model.orders
    .filter((order) => approvals.decisionsOf(order).isRejected && orders.get(order.id) !== 'failed')
    .map((order) => {
      const { amountMinor, asset, id } = order
      return `an order of ${amountMinor} ${asset.name} is ${orders.get(id)}, although an operator rejected it`
    })
}

/**
 * Returns the pending orders that may wait for an operator. No approval of them was confirmed, and they may have been
 * above the limit when Coffer decided about them.
 */
export function findWaiting(
  world: CheckedWorld,
  orders: ReadonlyMap<string, OrderState>,
): ReadonlySet<ModelOrder> {
  const { model } = world
  const { approvals } = model
  if (approvals === undefined) return new Set()
  const counted = model.orders
    .filter((order) => isCountable(model, approvals, order, orders.get(order.id)))
    .map((order) => ({ order, paidMs: paidMsOf(world, order) }))
  const waiting = model.orders.filter((order) => {
    if (orders.get(order.id) !== 'pending' || approvals.decisionsOf(order).isApproved) return false
    // Coffer may decide about the order at any later time, so orders that were requested after it may count too.
    const mayCount = counted.filter(
      ({ paidMs }) => paidMs === undefined || order.requestedMs - paidMs < dayMs,
    )
    const sumBy = (key: 'merchantId' | 'address') =>
      sumOf(
        approvals,
        mayCount.filter((one) => one.order[key] === order[key]),
      )
    const worth = approvals.worthOf(order)
    return [sumBy('merchantId'), sumBy('address')].some((sum) => worth + sum > approvals.aboveUsd)
  })
  return new Set(waiting)
}

/**
 * Returns whether Coffer may have let an order leave the queue without an operator, so that the order counts in the
 * sums of others. It cannot if the order alone is above the limit, or if the order is still pending at rest, unless it
 * only lacks gas.
 */
function isCountable(
  model: Model,
  approvals: Approvals,
  order: ModelOrder,
  state: OrderState = 'unknown',
): boolean {
  const mayHaveLeft = state === 'pending' ? isWithoutGas(model, order) : state !== 'unknown'
  return mayHaveLeft && approvals.worthOf(order) <= approvals.aboveUsd
}

function paidMsOf({ transfers, chains }: CheckedWorld, { address, asset }: ModelOrder): number | undefined {
  const payment = transfers.find((one) => one.isFromUs && one.recipient === address && isOf(asset, one))
  if (payment === undefined) return undefined
  return chains.find(({ network }) => network === payment.network)?.firstMinedMs(payment.txHash)
}

function sumOf(approvals: Approvals, dated: readonly Dated[]): bigint {
  return dated.reduce((total, { order }) => total + approvals.worthOf(order), 0n)
}

function asUsd(worth: bigint): string {
  return (Number(worth) / 1e8).toFixed(4)
}
