/** What a payout that spends coins looks like as a transaction. Pure. */
import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { CoinPlace, HotPlace, Intent, Payment, WalletPlace } from '../../signing/intent.ts'
import type { Fees } from '../engine/payout.ts'
import type { StoredPayout } from '../engine/store.ts'

/** A coin that a payout spends. */
export interface PayoutInput {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly place: CoinPlace
}

/** What leaves for somebody else, in an output of its own. */
export interface Paid {
  /** Undefined where it is the operator's cold address, which the signer knows by its own settings. */
  readonly address: string | undefined
  readonly amountMinor: bigint
}

export interface Shape {
  /** In the order of the outputs. */
  readonly paid: readonly Paid[]
  /** What comes back, in the last output; undefined where nothing does. */
  readonly change: { readonly place: HotPlace; readonly amountMinor: bigint } | undefined
}

/** Where a transaction without change is said to be from. */
export const noChange: HotPlace = { type: 'hot', branch: 0, index: 0 }

export function isChange(place: WalletPlace): place is HotPlace {
  return place.type === 'hot' && place.branch === 1
}

/** Whatever its inputs hold beyond its payments and its fee comes back to the place that it is from. */
export function shapeOf(
  { intent, from, fees }: Pick<StoredPayout, 'intent' | 'from' | 'fees'>,
  inputs: readonly PayoutInput[],
): Shape {
  const paid = paidBy(intent)
  const changeMinor = totalOf(inputs) - totalOf(paid) - fees.tipMinor
  return {
    paid,
    change: isChange(from) && changeMinor > 0n ? { place: from, amountMinor: changeMinor } : undefined,
  }
}

export function paymentsOf(intent: Intent): readonly Payment[] {
  return intent.kind === 'withdrawal' ? intent.payments : []
}

/** What an intent pays to others, before what comes back. */
export function paidBy(intent: Intent): readonly Paid[] {
  if (intent.kind === 'take_out') return [{ address: undefined, amountMinor: intent.amountMinor }]
  return paymentsOf(intent).map(({ address, netMinor }) => ({ address, amountMinor: netMinor }))
}

export function totalOf(amounts: readonly { readonly amountMinor: bigint }[]): bigint {
  return sum(amounts.map(({ amountMinor }) => amountMinor))
}

/** Of a transaction of `weight` that pays `feeMinor` in all. */
export function feesOf(weight: number, feeMinor: bigint): Fees {
  const gas = BigInt(Math.ceil(weight / 4))
  return { gas, maxFeeMinor: (feeMinor + gas - 1n) / gas, tipMinor: feeMinor }
}

/** Names the coin that its change is once a node has it. */
export function changeOutpoint(txHash: string, { paid }: Shape): string {
  return `${txHash}:${paid.length}`
}

/** The transaction that made a coin. */
export function makerHashOf({ outpoint }: Pick<PayoutInput, 'outpoint'>): string {
  return outpoint.slice(0, outpoint.indexOf(':'))
}

/**
 * A coin is the anchor of one payout, at 0. Where it is taken back from that one it is the anchor of another too, at a place
 * that follows from the name of the taking.
 */
export function nonceOf(intent: Intent, payoutId: string): number {
  return intent.kind === 'reclaim' ? Number.parseInt(payoutId.replaceAll('-', '').slice(0, 12), 16) : 0
}

/** The coin that all attempts of a payout spend. */
export function anchorOf(inputs: readonly PayoutInput[]): string {
  return required(inputs[0], 'an input').outpoint
}
