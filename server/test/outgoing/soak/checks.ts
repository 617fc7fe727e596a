/** What must hold when a soak is over, of facts alone: each check can be shown a fault. */
import { sum } from '../../../src/core/money.ts'
import type { MerchantKind } from './world.ts'

export interface OrderFact {
  readonly id: string
  readonly merchantId: string
  readonly kind: MerchantKind
  readonly isCoin: boolean
  readonly address: string
  readonly netMinor: bigint
  /** Of the database; `lost` where it went back to before the order was made and nothing restored it. */
  readonly state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'lost'
  readonly waitsFor: string | null
  /** What was held for it. */
  readonly amountMinor: bigint
  /** What its failures took from that. */
  readonly chargedMinor: bigint
  /** What the network took for what was mined of it, by the chain's receipts. */
  readonly networkMinor: bigint
}

/** Money that left and that nobody here knew of, as operators are told. */
export interface OutflowFact {
  readonly isCoin: boolean
  readonly address: string
  readonly amountMinor: bigint
}

export interface SoakFacts {
  readonly orders: readonly OrderFact[]
  /** By `placeOf`, what the chain says that was received. */
  readonly received: ReadonlyMap<string, bigint>
  readonly outflows: readonly OutflowFact[]
  /** By merchant, in the coin, what it paid in fees. */
  readonly feesMinor: ReadonlyMap<string, bigint>
  readonly worstRounds: number
}

export function placeOf({ isCoin, address }: { readonly isCoin: boolean; readonly address: string }): string {
  return `${isCoin ? 'coin' : 'token'} ${address}`
}

/**
 * Each recipient got the net amount of each completed order, once; beyond that only what was paid for orders that the database
 * lost, each of which an operator is told of as an outflow.
 */
export function findWrongPayments({ orders, received, outflows }: SoakFacts): readonly string[] {
  const places = new Set(orders.map(placeOf))
  const strays = outflows.filter((one) => !places.has(placeOf(one)))
  const wrong = [...places].flatMap((place) => {
    const own = orders.filter((one) => placeOf(one) === place)
    const netsOf = (state: OrderFact['state']) =>
      own.filter((one) => one.state === state).map(({ netMinor }) => netMinor)
    const told = outflows.filter((one) => placeOf(one) === place).map(({ amountMinor }) => amountMinor)
    const dueMinor = sum(netsOf('completed')) + sum(told)
    const gotMinor = received.get(place) ?? 0n
    const isLossTold = isPartOf(told, netsOf('lost'))
    if (gotMinor === dueMinor && isLossTold) return []
    const states = own.map(({ id, state, netMinor }) => `${id} ${state} ${netMinor}`).join(', ')
    return [`${place} got ${gotMinor}, and ${dueMinor} are accounted for (told: ${told}): ${states}`]
  })
  return [...wrong, ...strays.map((one) => `${placeOf(one)} got ${one.amountMinor}, which nobody ordered`)]
}

/** Whether each amount is one of the others, used once. */
function isPartOf(amounts: readonly bigint[], others: readonly bigint[]): boolean {
  const left = [...others]
  return amounts.every((amount) => {
    const place = left.indexOf(amount)
    if (place >= 0) left.splice(place, 1)
    return place >= 0
  })
}

/** By merchant, what its orders cost the network's fees beyond all that it was charged. */
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

/** Amounts have at most so many decimals where people see them: a charge is rounded up to them. */
const roundedUpMinor = 10n ** 10n

/** A failure takes what it cost from what was held for the order, and never more; nothing else takes anything. */
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
 * No order is left over, but those that must be: of a merchant beyond its budget, and what its money cannot be swept for. None
 * waited for longer than it may.
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
