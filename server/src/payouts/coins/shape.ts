/** What a payout that spends coins looks like as a transaction. Pure. */
import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { CoinPlace, HotPlace, Intent, Payment, WalletPlace } from '../../intents/intent.ts'
import type { Fees } from '../payout.ts'
import type { StoredPayout } from '../store.ts'

/** A coin that a payout spends. */
export interface PayoutInput {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly place: CoinPlace
}

export interface Shape {
  readonly payments: readonly Payment[]
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
  const payments = paymentsOf(intent)
  const heldMinor = sum(inputs.map(({ amountMinor }) => amountMinor))
  const changeMinor = heldMinor - sum(payments.map(({ netMinor }) => netMinor)) - fees.tipMinor
  return {
    payments,
    change: isChange(from) && changeMinor > 0n ? { place: from, amountMinor: changeMinor } : undefined,
  }
}

export function paymentsOf(intent: Intent): readonly Payment[] {
  return intent.kind === 'withdrawal' ? intent.payments : []
}

/** Of a transaction of `weight` that pays `feeMinor` in all. */
export function feesOf(weight: number, feeMinor: bigint): Fees {
  const gas = BigInt(Math.ceil(weight / 4))
  return { gas, maxFeeMinor: (feeMinor + gas - 1n) / gas, tipMinor: feeMinor }
}

/** Names the coin that its change is once a node has it. */
export function changeOutpoint(txHash: string, { payments }: Shape): string {
  return `${txHash}:${payments.length}`
}

/** The coin that all attempts of a payout spend. */
export function anchorOf(inputs: readonly PayoutInput[]): string {
  return required(inputs[0], 'an input').outpoint
}
