/** What is offered for gas, and how much of it; pure. */
import type { FeeLevel } from '../../chains/port.ts'
import { max, min } from '../../core/money.ts'
import type { IntentKind } from '../../signing/intent.ts'
import { type Fees, raised } from '../engine/payout.ts'
import type { Proposal } from '../engine/purpose.ts'

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

/** Where no more may be paid: room for two full blocks in a row. */
export function leastPrice({ baseFeeMinor }: FeeLevel, { tipMinor }: Pick<Fees, 'tipMinor'>): bigint {
  return (5n * baseFeeMinor) / 4n + tipMinor
}

/**
 * The least and the most gas by what is sent. What is not used costs nothing, so that the floor is generous. Above the
 * ceiling nothing is signed: an estimate that is cut down would only fail on chain, and the operator would pay for it.
 */
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
/** No transaction takes less: a node that estimates less is wrong. */
const transactionGas = 21_000n
/** The most that a withdrawal of the coin may take, unless a setting says otherwise: its recipient decides what it needs. */
export const nativeGasMaxDefault = 100_000n

export type GasOffer =
  /** `isAbsurd` where the estimate is below what any transaction takes. */
  | { readonly type: 'enough'; readonly gas: bigint; readonly isAbsurd: boolean }
  | { readonly type: 'above'; readonly mostGas: bigint }

/** The gas to offer: a fifth above the estimate, as far as the ceiling leaves room; none for an estimate above the ceiling. */
export function gasFor(proposal: GasOf, estimate: bigint, nativeGasMax = nativeGasMaxDefault): GasOffer {
  const { kind } = proposal.intent
  const mostGas = isNativePayment(proposal) ? nativeGasMax : gasBounds[kind][1]
  if (estimate > mostGas) return { type: 'above', mostGas }
  const movesToken = (proposal.spends?.contract ?? null) !== null
  const coinMin = gasBounds[kind][0]
  const floor = movesToken && coinMin < tokenGasMin ? tokenGasMin : coinMin
  const gas = within((estimate * 6n) / 5n, floor, mostGas)
  return { type: 'enough', gas, isAbsurd: estimate < transactionGas }
}

type GasOf = Pick<Proposal, 'intent' | 'spends'>

/** Whether it sends the coin to somebody outside, whose code may run. */
export function isNativePayment({ intent }: Pick<Proposal, 'intent'>): boolean {
  if (intent.kind !== 'withdrawal' || intent.payments.length === 0) return false
  return intent.payments.every(({ contract }) => contract === null)
}

/** A deposit address that sends its coin to a lane calls no code; what is set aside for more stays behind for good. */
const coinForwardGasMax = 30_000n

/** Of each asset on each address far more than a transfer takes, and what the contract wants left at the end. */
function sweepGasMax(transfers: number): bigint {
  return min(gasBounds.sweep[1], 600_000n + 200_000n * BigInt(transfers))
}

/** The most gas that a proposal may come to take. */
export function gasMax(
  proposal: Pick<Proposal, 'intent'>,
  nativeGasMax: bigint = nativeGasMaxDefault,
): bigint {
  const { intent } = proposal
  if (isNativePayment(proposal)) return nativeGasMax
  if (intent.kind === 'forward' && intent.contract === null) return coinForwardGasMax
  if (intent.kind === 'sweep') return sweepGasMax(intent.deposits.length * intent.assets.length)
  return gasBounds[intent.kind][1]
}

/**
 * The next offer, at the same nonce; undefined where the ceiling leaves no room for one that nodes would take.
 * @param feeLimitMinor the most per unit of gas that this transaction may offer, below the ceiling of all
 */
export function bumped(
  { gas, maxFeeMinor, tipMinor }: Fees,
  level: FeeLevel,
  policy: PricePolicy = pricePolicy,
  feeLimitMinor: bigint = policy.maxFeeMinorMax,
): Fees | undefined {
  const mostMinor = min(policy.maxFeeMinorMax, feeLimitMinor)
  const tip = max(raised(tipMinor), min(level.tipMinor, policy.tipMinorMax))
  const floor = raised(maxFeeMinor)
  if (floor > mostMinor || tip > mostMinor) return undefined
  const wanted = max(floor, 2n * level.baseFeeMinor + tip)
  return { gas, maxFeeMinor: max(min(wanted, mostMinor), tip), tipMinor: tip }
}

function within(value: bigint, low: bigint, high: bigint): bigint {
  return max(low, min(value, high))
}
