/**
 * Matches open orders with the outputs of a transaction of ours that the database does not know. The
 * transaction may pay several orders. Pure.
 */
import type { Payment } from '../../../signing/intent.ts'

/**
 * An order, stated as the payment that it asks for. As far as the database knows, nothing was signed for it.
 */
export type OpenOrder = Payment

/** An output that goes to an address that is not ours. */
export interface SeenOutput {
  /** The address of the output; undefined if the script of the output has no address. */
  readonly recipient: string | undefined
  readonly amountMinor: bigint
}

export interface MatchedOrders<O extends SeenOutput> {
  /** The orders that were paid, each by exactly one output. */
  readonly paid: readonly OpenOrder[]
  /** The outputs that pay no order. */
  readonly unexplained: readonly O[]
}

/**
 * Assigns to each output the first unassigned order with the same address and amount. The choice among equal
 * orders makes no difference, because the same number of orders stays unpaid.
 * @param orders are in the order in which they are matched
 */
export function matchOrders<O extends SeenOutput>(
  outputs: readonly O[],
  orders: readonly OpenOrder[],
): MatchedOrders<O> {
  const left = new Map<string, OpenOrder[]>()
  for (const order of orders) {
    const key = `${order.address} ${order.netMinor}`
    left.set(key, [...(left.get(key) ?? []), order])
  }
  const paid: OpenOrder[] = []
  const unexplained: O[] = []
  for (const output of outputs) {
    const order = left.get(`${output.recipient} ${output.amountMinor}`)?.shift()
    if (order === undefined) unexplained.push(output)
    else paid.push(order)
  }
  return { paid, unexplained }
}
