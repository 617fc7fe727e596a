/**
 * Checks what must be true at the end of a soak. The checks use only the collected facts, so a test can give
 * each check facts that contain a fault.
 */
import { sum } from '../../../src/core/money.ts'
import type { MerchantKind } from './soak.ts'

export interface OrderFact {
  readonly id: string
  readonly merchantId: string
  readonly kind: MerchantKind
  readonly isCoin: boolean
  readonly address: string
  readonly netMinor: bigint
  /**
   * State in the database. `lost` means that the database was restored to before the order, and nothing
   * restored the order.
   */
  readonly state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'lost'
  readonly waitsFor: string | null
  /** Amount that was held for the order. */
  readonly amountMinor: bigint
  /** Amount that failures of the order took from the hold. */
  readonly chargedMinor: bigint
  /** Network fees of the order's mined transactions, by the chain's receipts. */
  readonly networkMinor: bigint
}

/** Money that left without an order, as it is reported to operators. */
export interface OutflowFact {
  readonly isCoin: boolean
  readonly address: string
  readonly amountMinor: bigint
}

export interface SoakFacts {
  readonly orders: readonly OrderFact[]
  /** The amounts that the recipients received on the chain, by `recipientKeyOf`. */
  readonly received: ReadonlyMap<string, bigint>
  readonly outflows: readonly OutflowFact[]
  /** Fees that each merchant paid, in the coin. */
  readonly feesMinor: ReadonlyMap<string, bigint>
  readonly worstRounds: number
}

export function recipientKeyOf({
  isCoin,
  address,
}: {
  readonly isCoin: boolean
  readonly address: string
}): string {
  return `${isCoin ? 'coin' : 'token'} ${address}`
}

/**
 * Returns the wrong payments. Each recipient must have got the net amount of each completed order once. It
 * may also have got payments for orders that the database lost, each of which is reported to operators as an
 * outflow.
 */
export function findWrongPayments({ orders, received, outflows }: SoakFacts): readonly string[] {
  const recipients = new Set(orders.map(recipientKeyOf))
  const unordered = outflows.filter((one) => !recipients.has(recipientKeyOf(one)))
  const wrong = [...recipients].flatMap((index) => {
    const own = orders.filter((one) => recipientKeyOf(one) === index)
    const netsOf = (state: OrderFact['state']) =>
      own.filter((one) => one.state === state).map(({ netMinor }) => netMinor)
    const reported = outflows
      .filter((one) => recipientKeyOf(one) === index)
      .map(({ amountMinor }) => amountMinor)
    const dueMinor = sum(netsOf('completed')) + sum(reported)
    const gotMinor = received.get(index) ?? 0n
    const isLossReported = isPartOf(reported, netsOf('lost'))
    if (gotMinor === dueMinor && isLossReported) return []
    const states = own.map(({ id, state, netMinor }) => `${id} ${state} ${netMinor}`).join(', ')
    return [`${index} got ${gotMinor}, and ${dueMinor} are accounted for (told: ${reported}): ${states}`]
  })
  return [
    ...wrong,
    ...unordered.map((one) => `${recipientKeyOf(one)} got ${one.amountMinor}, which nobody ordered`),
  ]
}

/** Decides whether each amount is one of the others, each of them used once. */
function isPartOf(amounts: readonly bigint[], others: readonly bigint[]): boolean {
  const left = [...others]
  return amounts.every((amount) => {
    const index = left.indexOf(amount)
    if (index >= 0) left.splice(index, 1)
    return index >= 0
  })
}

/** Returns, for each merchant, the network fees of its orders minus all fees that it was charged. */
export function costsBeyondFees({ orders, feesMinor }: SoakFacts): ReadonlyMap<string, bigint> {
  const merchants = new Set(orders.map(({ merchantId }) => merchantId))
  return new Map(
    [...merchants].map((id) => {
      const networkMinor = sum(orders.filter((one) => one.merchantId === id).map((one) => one.networkMinor))
      return [id, networkMinor - (feesMinor.get(id) ?? 0n)]
    }),
  )
}

export function findOverBudget(facts: SoakFacts, budgetMinor: bigint): readonly string[] {
  return [...costsBeyondFees(facts)]
    .filter(([, minor]) => minor > budgetMinor)
    .map(([id, minor]) => `merchant ${id} cost ${minor} beyond its fees, and its budget is ${budgetMinor}`)
}

/**
 * Amounts are shown with 8 of the coin's 18 decimal places. This is the smallest unit that is shown, and
 * charges are rounded up to it.
 */
const roundedUpMinor = 10n ** 10n

/**
 * Returns the orders that were charged too much. A failure charges its cost to the order's hold and never
 * more. Nothing else is charged.
 */
export function findOvercharged({ orders }: SoakFacts): readonly string[] {
  return orders
    .filter(({ state, amountMinor, chargedMinor, networkMinor, isCoin }) => {
      if (state === 'completed' || chargedMinor === 0n) return chargedMinor > 0n
      return chargedMinor > amountMinor || (isCoin && chargedMinor > networkMinor + roundedUpMinor)
    })
    .map(
      ({ id, state, amountMinor, chargedMinor, networkMinor }) =>
        `${id} (${state}) was charged ${chargedMinor} of ${amountMinor} held, and the network took ${networkMinor}`,
    )
}

export const waitedRoundsMax = 20

/**
 * Returns the orders that waited too long or are left over. Orders of a merchant beyond its gas budget may be
 * left over, and so may orders whose money cannot be swept.
 */
export function findStarved({ orders, worstRounds }: SoakFacts): readonly string[] {
  const left = orders.filter(({ state, kind, waitsFor }) => {
    if (state !== 'pending') return false
    if (kind === 'hostile') return waitsFor !== 'gas-budget'
    return kind !== 'soiled' || waitsFor !== 'funds'
  })
  const starved = left.map(({ id, kind, waitsFor }) => `${id} of a ${kind} merchant is not paid: ${waitsFor}`)
  if (worstRounds <= waitedRoundsMax) return starved
  return [...starved, `a covered order waited ${worstRounds} rounds, and ${waitedRoundsMax} are the most`]
}
