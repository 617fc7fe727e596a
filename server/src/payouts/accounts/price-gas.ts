/** What is offered for gas, and how much of it; pure. */
import type { FeeLevel } from '../../chains/port.ts'
import { max, min } from '../../core/money.ts'
import type { IntentKind } from '../../intents/intent.ts'
import { type Fees, raised } from '../payout.ts'
import type { Proposal } from '../purpose.ts'

/** What may be offered for gas, per unit and in the coin's smallest unit, and how much of it. */
export interface PricePolicy {
  readonly maxFeeMinorMax: bigint
  readonly tipMinorMin: bigint
  readonly tipMinorMax: bigint
}

const gwei = 10n ** 9n

/** Above `maxFeeMinorMax` nothing is sent: it waits, and alerts. */
export const pricePolicy: PricePolicy = {
  maxFeeMinorMax: 500n * gwei,
  tipMinorMin: gwei / 100n,
  tipMinorMax: 20n * gwei,
}

/** Room for six full blocks in a row before the price is too low; undefined where even now it is above the ceiling. */
export function priceFor(
  { baseFeeMinor, tipMinor }: FeeLevel,
  policy: PricePolicy = pricePolicy,
): Omit<Fees, 'gas'> | undefined {
  const tip = within(tipMinor, policy.tipMinorMin, policy.tipMinorMax)
  if (baseFeeMinor + tip > policy.maxFeeMinorMax) return undefined
  return { maxFeeMinor: min(2n * baseFeeMinor + tip, policy.maxFeeMinorMax), tipMinor: tip }
}

/** What an estimate is held to, by what is sent. What is not used costs nothing, so that the floor is generous. */
const gasBounds: Readonly<Record<IntentKind, readonly [bigint, bigint]>> = {
  // No account sends these.
  lift: [0n, 0n],
  reclaim: [0n, 0n],
  consolidate: [0n, 0n],
  withdrawal: [21_000n, 1_000_000n],
  top_up: [21_000n, 100_000n],
  forward: [21_000n, 150_000n],
  rebalance: [21_000n, 500_000n],
  take_out: [21_000n, 1_000_000n],
  sweep: [60_000n, 15_000_000n],
  deploy: [100_000n, 5_000_000n],
}
/** No token's transfer takes less; the coin's alone takes 21,000. */
const tokenGasMin = 90_000n

/** The gas to offer: a fifth above the estimate, held within bounds. `isAbsurd` where the estimate is outside of them. */
export function gasFor(
  kind: IntentKind,
  movesToken: boolean,
  estimate: bigint,
): { readonly gas: bigint; readonly isAbsurd: boolean } {
  const [coinMin, most] = gasBounds[kind]
  const floor = movesToken && coinMin < tokenGasMin ? tokenGasMin : coinMin
  return { gas: within((estimate * 6n) / 5n, floor, most), isAbsurd: estimate < 21_000n || estimate > most }
}

/** A deposit address that sends its coin to a lane calls no code; what is set aside for more stays behind for good. */
const coinForwardGasMax = 30_000n

/** Of each asset on each address far more than a transfer takes, and what the contract wants left at the end. */
function sweepGasMax(transfers: number): bigint {
  return min(gasBounds.sweep[1], 600_000n + 200_000n * BigInt(transfers))
}

/** The most gas that a proposal may come to take. */
export function gasMax({ intent }: Pick<Proposal, 'intent'>): bigint {
  if (intent.kind === 'forward' && intent.contract === null) return coinForwardGasMax
  if (intent.kind === 'sweep') return sweepGasMax(intent.deposits.length * intent.assets.length)
  return gasBounds[intent.kind][1]
}

/** The next offer, at the same nonce; undefined where the ceiling leaves no room for one that nodes would take. */
export function bumped(
  { gas, maxFeeMinor, tipMinor }: Fees,
  level: FeeLevel,
  policy: PricePolicy = pricePolicy,
): Fees | undefined {
  const tip = max(raised(tipMinor), min(level.tipMinor, policy.tipMinorMax))
  const floor = raised(maxFeeMinor)
  if (floor > policy.maxFeeMinorMax || tip > policy.maxFeeMinorMax) return undefined
  const wanted = max(floor, 2n * level.baseFeeMinor + tip)
  return { gas, maxFeeMinor: max(min(wanted, policy.maxFeeMinorMax), tip), tipMinor: tip }
}

function within(value: bigint, low: bigint, high: bigint): bigint {
  return max(low, min(value, high))
}
