/**
 * Which orders a transaction paid of which nobody here knows, where one transaction pays several. Pure.
 */
import type { Payment } from '../../../signing/intent.ts'

/** An order for which nothing was signed here, as the payment that would carry it out. */
export type OpenOrder = Payment

/** An output that goes to somebody else. */
export interface SeenOutput {
  /** Undefined where its script has no address. */
  readonly recipient: string | undefined
  readonly amountMinor: bigint
}

export interface MatchedOrders {
  /** Each of which one output paid. */
  readonly paid: readonly OpenOrder[]
  /** Outputs that are no payment of any order. */
  readonly unexplained: readonly SeenOutput[]
}

/**
 * Gives each output the first order that asks for just that amount to just that address and has no output yet. Of equal
 * orders it makes no difference which counts as paid: as many are left to be paid as were not.
 * @param orders those first that are taken first
 */
export function matchOrders(outputs: readonly SeenOutput[], orders: readonly OpenOrder[]): MatchedOrders {
  const left = new Map<string, OpenOrder[]>()
  for (const order of orders) {
    const key = `${order.address} ${order.netMinor}`
    left.set(key, [...(left.get(key) ?? []), order])
  }
  const paid: OpenOrder[] = []
  const unexplained: SeenOutput[] = []
  for (const output of outputs) {
    const order = left.get(`${output.recipient} ${output.amountMinor}`)?.shift()
    if (order === undefined) unexplained.push(output)
    else paid.push(order)
  }
  return { paid, unexplained }
}
