/** Decides how much gas to offer and at which price. Pure. */
import { evmNetworks, type FeeModel, type PriceBounds } from '../../chains/evm/evm-networks.ts'
import type { EvmFees, FeeLevel } from '../../chains/port.ts'
import { max, min } from '../../core/money.ts'
import type { IntentKind } from '../../signing/intent.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { bumpedMinor } from '../engine/outgoing-transaction.ts'

/** The bounds for Ethereum. Each network has its own in `evm-networks.ts`. */
export const pricePolicy: PriceBounds = evmNetworks.ethereum.priceBounds

/**
 * Returns fees that stay high enough for six full blocks in a row, each of which raises the base fee by one
 * eighth (EIP-1559). On a network without base fees, returns the current price, because all of it is paid. Returns
 * undefined if the current price exceeds the maximum.
 */
export function priceFor(
  { baseFeePerGas, maxPriorityFeePerGas }: FeeLevel,
  policy: PriceBounds = pricePolicy,
  feeModel: FeeModel = 'eip1559',
): Omit<EvmFees, 'gasLimit'> | undefined {
  if (feeModel === 'legacy') return wholePrice(baseFeePerGas + maxPriorityFeePerGas, policy)
  const tip = within(maxPriorityFeePerGas, policy.maxPriorityFeePerGasMin, policy.maxPriorityFeePerGasMax)
  if (baseFeePerGas + tip > policy.maxFeePerGasMax) return undefined
  return { maxFeePerGas: min(2n * baseFeePerGas + tip, policy.maxFeePerGasMax), maxPriorityFeePerGas: tip }
}

/** A price above the maximum is not reduced, because nobody would mine the transaction at less than the price. */
function wholePrice(
  currentMinor: bigint,
  { maxPriorityFeePerGasMin, maxFeePerGasMax }: PriceBounds,
): Omit<EvmFees, 'gasLimit'> | undefined {
  const price = max(currentMinor, maxPriorityFeePerGasMin)
  if (price > maxFeePerGasMax) return undefined
  return { maxFeePerGas: price, maxPriorityFeePerGas: price }
}

/**
 * Returns the lowest fee per unit of gas at which a transaction is still sent. This fee is used if a limit
 * does not allow the usual fee. The lowest fee stays high enough for two full blocks.
 */
export function leastPrice(
  { baseFeePerGas }: FeeLevel,
  { maxPriorityFeePerGas }: Pick<EvmFees, 'maxPriorityFeePerGas'>,
): bigint {
  return (5n * baseFeePerGas) / 4n + maxPriorityFeePerGas
}

/**
 * The minimum and maximum gas limit of each kind of intent. Unused gas costs nothing, so the minimum is
 * generous. A transaction whose estimate is above the maximum is not signed. With less gas than the estimate,
 * it would fail on chain, and the operator would pay for the failure.
 */
const gasBounds: Readonly<Record<IntentKind, readonly [bigint, bigint]>> = {
  // EVM chains have no transactions of these three kinds.
  cpfp: [0n, 0n],
  reclaim: [0n, 0n],
  consolidate: [0n, 0n],
  withdrawal: [21_000n, 1_000_000n],
  top_up: [21_000n, 100_000n],
  direct_sweep: [21_000n, 150_000n],
  rebalance: [21_000n, 500_000n],
  treasury_withdrawal: [21_000n, 1_000_000n],
  sweep: [60_000n, 15_000_000n],
  deploy: [100_000n, 5_000_000n],
}
/** The minimum gas limit for a token transfer. A transfer of the coin alone takes 21,000. */
const tokenGasMin = 90_000n
/** The cost of the cheapest possible transaction; a node that estimates less is wrong. */
const transactionGas = 21_000n
/**
 * The default maximum gas for a withdrawal of the coin. The recipient decides how much gas the withdrawal
 * needs.
 */
export const nativeGasMaxDefault = 100_000n

/**
 * On Arbitrum, the gas of a transaction includes the cost of its bytes on the chain below. That part is high
 * while gas on the chain below is expensive compared with gas on Arbitrum. The maximum gas of a transaction is
 * higher by `transaction`, and that of a sweep also by `transfer` for each asset and address. The low maximum
 * price of the network (`PriceBounds`) keeps the maximum cost below that on Ethereum.
 */
const arbitrumDataGas = { transaction: 1_000_000n, transfer: 150_000n }
/** The maximum gas of a block on Arbitrum is 32 million. */
const arbitrumGasMax = 30_000_000n

/** Returns the maximum gas of a transaction for its bytes, in addition to that for its execution. */
export function dataGasMax({ intent }: Pick<Proposal, 'intent'>, feeModel: FeeModel): bigint {
  if (feeModel !== 'arbitrum') return 0n
  const transfers = intent.kind === 'sweep' ? intent.deposits.length * intent.assets.length : 0
  return arbitrumDataGas.transaction + arbitrumDataGas.transfer * BigInt(transfers)
}

/** The rules of a network that decide how much gas a transaction may take. */
export interface GasRules {
  /** The maximum gas for a withdrawal of the coin, without gas for data. */
  readonly nativeGasMax?: bigint | undefined
  /** How the network charges for gas; `eip1559` by default, which has the lowest maximum. */
  readonly feeModel?: FeeModel | undefined
}

export type GasOffer =
  /** `isAbsurd` means that the estimate is below the cost of any transaction. */
  | { readonly type: 'enough'; readonly gas: bigint; readonly isAbsurd: boolean }
  | { readonly type: 'above'; readonly mostGas: bigint }

/**
 * Returns the gas limit to offer: one fifth above the estimate, within the bounds of the intent's kind. An
 * estimate above the maximum is rejected.
 */
export function gasFor(proposal: GasOf, estimate: bigint, rules: GasRules = {}): GasOffer {
  const { kind } = proposal.intent
  const mostGas = kind === 'sweep' ? offeredSweepGasMax(proposal, rules) : gasMax(proposal, rules)
  if (estimate > mostGas) return { type: 'above', mostGas }
  const movesToken = (proposal.spends?.contract ?? null) !== null
  const coinMin = gasBounds[kind][0]
  const floor = movesToken && coinMin < tokenGasMin ? tokenGasMin : coinMin
  const gas = within((estimate * 6n) / 5n, floor, mostGas)
  return { type: 'enough', gas, isAbsurd: estimate < transactionGas }
}

type GasOf = Pick<Proposal, 'intent' | 'spends'>

/**
 * Returns whether a proposal is a withdrawal of the coin. A transfer of the coin runs the recipient's code if
 * the recipient is a contract.
 */
export function isNativePayment({ intent }: Pick<Proposal, 'intent'>): boolean {
  if (intent.kind !== 'withdrawal' || intent.payments.length === 0) return false
  return intent.payments.every(({ contract }) => contract === null)
}

/**
 * The maximum gas of a direct sweep of the coin, in which a deposit address itself sends its coin to a hot
 * wallet. The maximum is low, because the transfer calls no code. Coin that is reserved for unused gas would
 * stay at the deposit address.
 */
const coinDirectSweepGasMax = 30_000n

/**
 * Returns the maximum gas of a sweep. The maximum allows far more gas per asset and address than a transfer
 * takes. It also includes the gas that the sweep contract requires to be left at its end.
 */
function sweepGasMax(transfers: number): bigint {
  return min(gasBounds.sweep[1], 600_000n + 200_000n * BigInt(transfers))
}

/**
 * Returns the maximum gas limit of a sweep. It is far above the gas that is set aside for a sweep, because a
 * node without state overrides cannot estimate a sweep, and the limit is then generous.
 */
function offeredSweepGasMax(proposal: Pick<Proposal, 'intent'>, { feeModel = 'eip1559' }: GasRules): bigint {
  return min(arbitrumGasMax, gasBounds.sweep[1] + dataGasMax(proposal, feeModel))
}

/** Returns the maximum gas that a proposal may take. */
export function gasMax(proposal: Pick<Proposal, 'intent'>, rules: GasRules = {}): bigint {
  const { feeModel = 'eip1559' } = rules
  return min(arbitrumGasMax, executionGasMax(proposal, rules) + dataGasMax(proposal, feeModel))
}

function executionGasMax(
  proposal: Pick<Proposal, 'intent'>,
  { nativeGasMax = nativeGasMaxDefault }: GasRules,
): bigint {
  const { intent } = proposal
  if (isNativePayment(proposal)) return nativeGasMax
  if (intent.kind === 'direct_sweep' && intent.contract === null) return coinDirectSweepGasMax
  if (intent.kind === 'sweep') return sweepGasMax(intent.deposits.length * intent.assets.length)
  return gasBounds[intent.kind][1]
}

/**
 * Returns higher fees for the same nonce. They are high enough for nodes to accept the replacement, and for
 * the current base fee if the maximum allows that. Returns undefined if the maximum does not allow a
 * replacement. Two equal fees, as on a network without base fees, stay equal.
 * @param maxFeePerGasLimit the maximum fee per unit of gas for this transaction, below the general maximum
 */
export function bumped(
  { gasLimit: gas, maxFeePerGas, maxPriorityFeePerGas }: EvmFees,
  level: FeeLevel,
  policy: PriceBounds = pricePolicy,
  maxFeePerGasLimit: bigint = policy.maxFeePerGasMax,
): EvmFees | undefined {
  const mostMinor = min(policy.maxFeePerGasMax, maxFeePerGasLimit)
  const tip = max(
    bumpedMinor(maxPriorityFeePerGas),
    min(level.maxPriorityFeePerGas, policy.maxPriorityFeePerGasMax),
  )
  const floor = bumpedMinor(maxFeePerGas)
  if (floor > mostMinor || tip > mostMinor) return undefined
  const wanted = max(floor, 2n * level.baseFeePerGas + tip)
  return { gasLimit: gas, maxFeePerGas: max(min(wanted, mostMinor), tip), maxPriorityFeePerGas: tip }
}

function within(value: bigint, low: bigint, high: bigint): bigint {
  return max(low, min(value, high))
}
