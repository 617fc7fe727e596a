/** An outgoing transaction of any kind and of any chain family: its states, its slot and its fees. Pure. */
import type { EvmFees } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import type { DepositKeyPath, EvmKeyPath, UtxoHotKeyPath } from '../../signing/intent.ts'

/**
 * The states of an outgoing transaction:
 * - `planned`: the transaction has its slot (a nonce or a pinned outpoint), and nothing is signed.
 * - `signed`: signed bytes are stored.
 * - `broadcast`: a node accepted the bytes.
 * - `needs_recheck`: no node knows the transaction, and the same bytes are sent again.
 * - `included`: the transaction is in a canonical block.
 * - `final`: the transaction is in a final block.
 * - `conflicted`: no attempt can be mined any more, because a conflicting transaction is final.
 */
export const outgoingTransactionStates = [
  'planned',
  'signed',
  'broadcast',
  'needs_recheck',
  'included',
  'final',
  'conflicted',
] as const
export type OutgoingTransactionState = (typeof outgoingTransactionStates)[number]

export interface OutgoingTransaction {
  /**
   * The id of the proposal for which the transaction was planned, such as a withdrawal or a sweep. One id is
   * stored only once, so that nothing is planned twice.
   */
  readonly id: string
  readonly network: string
  readonly state: OutgoingTransactionState
  /**
   * The maximum cost of the transaction at its current fees, in the network's coin. The amount that the
   * transaction moves is not included.
   */
  readonly maxCostMinor: bigint
  readonly inclusion: Inclusion | undefined
  readonly plannedAt: Date
}

/** The block that contains one attempt of an outgoing transaction, and the result in the receipt. */
export interface Inclusion {
  readonly txHash: string
  readonly height: number
  readonly blockHash: string
  /** False if the transaction was mined but failed, so that it only paid its fee. */
  readonly isSuccess: boolean
  readonly feeMinor: bigint
}

/**
 * The slot and the fees of an outgoing transaction, in the form of its chain family. All attempts of the
 * transaction share the slot, so at most one attempt is ever mined.
 */
export type FamilyTerms = EvmTerms | UtxoTerms

/**
 * Narrows the type of `terms` to the given family.
 * @throws InvariantError if they belong to another family
 */
export function asFamily<T extends FamilyTerms, F extends T['family']>(
  family: F,
  terms: T,
): Extract<T, { readonly family: F }> {
  assert(terms.family === family, `${slotText(terms)} belongs to the family ${family}`)
  return terms as Extract<T, { readonly family: F }>
}

export interface EvmTerms {
  readonly family: 'evm'
  readonly slot: EvmSlot
  readonly fees: EvmOutgoingFees
  /**
   * The highest `maxFeePerGas` that any attempt may offer; if undefined, only the general maximum applies.
   */
  readonly maxFeePerGasLimit: bigint | undefined
}

export interface EvmOutgoingFees extends EvmFees {
  /**
   * The amount that is set aside for what the network charges in addition to gas. Absent on networks that
   * charge for gas alone. It is stored as part of `max_cost_minor`.
   */
  readonly dataFeeMinor?: bigint | undefined
}

/** A nonce of the wallet that sends the transaction. */
export interface EvmSlot {
  readonly sender: EvmKeyPath
  /** The sender's address in canonical form. */
  readonly wallet: string
  readonly nonce: number
}

export interface UtxoTerms {
  readonly family: 'utxo'
  readonly slot: UtxoSlot
  readonly fees: UtxoFees
}

/** The pinned outpoint, which every attempt spends, and the key of the change. */
export interface UtxoSlot {
  readonly pinnedOutpoint: string
  /** The key of the change address, on branch 1 of the hot wallet; undefined if there is no change. */
  readonly change: UtxoHotKeyPath | undefined
}

export interface UtxoFees {
  /** The size of the transaction in virtual bytes (BIP 141). */
  readonly vbytes: bigint
  /** The fee for one virtual byte, rounded up, in the coin's smallest unit. */
  readonly feeRate: bigint
  /** The fee of the whole transaction, in the coin's smallest unit. */
  readonly fee: bigint
}

export type Fees = FamilyTerms['fees']

const steps: Readonly<Record<OutgoingTransactionState, readonly OutgoingTransactionState[]>> = {
  planned: ['signed'],
  signed: ['broadcast', 'needs_recheck', 'included', 'conflicted'],
  broadcast: ['needs_recheck', 'included', 'conflicted'],
  needs_recheck: ['broadcast', 'included', 'conflicted'],
  included: ['broadcast', 'final'],
  // Final blocks are undone only on dev chains and on chains without finality (`mayUndoFinal`). On all other
  // chains, no state follows `final`.
  final: ['broadcast'],
  conflicted: [],
}

/** Returns true if an outgoing transaction may change from the state `from` to the state `to`. */
export function mayMove(from: OutgoingTransactionState, to: OutgoingTransactionState): boolean {
  return steps[from].includes(to)
}

/** The states in which signed bytes exist but the result is not final yet. */
export const openStates: readonly OutgoingTransactionState[] = [
  'signed',
  'broadcast',
  'needs_recheck',
  'included',
]

/**
 * Returns the maximum cost of an attempt, in the network's coin, without the amount that the attempt moves.
 */
export function maxCostMinor(fees: Fees): bigint {
  if ('vbytes' in fees) return fees.vbytes * fees.feeRate
  return fees.gasLimit * fees.maxFeePerGas + (fees.dataFeeMinor ?? 0n)
}

/**
 * Returns the fees of another attempt with the data fee that is set aside for the outgoing transaction. The
 * bytes of an attempt do not state a data fee.
 */
export function withDataFeeOf(stored: Fees, fees: Fees): Fees {
  if ('vbytes' in fees || 'vbytes' in stored || stored.dataFeeMinor === undefined) return fees
  return { ...fees, dataFeeMinor: stored.dataFeeMinor }
}

/** Returns the price that an attempt offers for one unit of gas, or for one virtual byte. */
export function unitPriceMinor(fees: Fees): bigint {
  return 'vbytes' in fees ? fees.feeRate : fees.maxFeePerGas
}

/** Returns the key of the deposit address that sends a transaction; undefined if a hot wallet sends it. */
export function depositSenderOf(terms: FamilyTerms): DepositKeyPath | undefined {
  if (terms.family !== 'evm') return undefined
  const { sender } = terms.slot
  return sender.type === 'deposit' ? sender : undefined
}

/** Returns the name of a slot in messages for operators, with its nonce or its pinned outpoint. */
export function slotText(terms: FamilyTerms): string {
  return terms.family === 'evm'
    ? `transaction ${terms.slot.nonce} of ${terms.slot.wallet}`
    : `the transaction that spends ${terms.slot.pinnedOutpoint}`
}

/**
 * Returns a fee that is at least one eighth higher, and higher than 0. Nodes accept a replacement only if it
 * offers at least one tenth more (geth's txpool.pricebump), both in the maximum fee and in the priority fee.
 * They also require that both fees are higher, even if they were 0.
 */
export function bumpedMinor(minor: bigint): bigint {
  return minor === 0n ? 1n : (minor * 9n + 7n) / 8n
}

/** The maximum number of fee bumps of a transaction; after the last bump, an operator must decide. */
export const bumpsMax = 6
