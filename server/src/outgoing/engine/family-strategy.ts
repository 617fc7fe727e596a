/** The parts of the engine that differ between chain families (EVM, UTXO). */
import type { TakenSlot, TransactionReceipt } from '../../chains/port.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { EngineMemory } from './engine-memory.ts'
import type { Proposal } from './outgoing-source.ts'
import type { FamilyTerms, Fees } from './outgoing-transaction.ts'
import type { PlanningOutcome } from './plan-outcome.ts'
import type { RecoveryStrategy } from './recovery/recovery-strategy.ts'
import type { NewOutgoingTransaction, StoredOutgoingTransaction } from './store.ts'
import type { ExpectedTransfer } from './unmoved/expected-transfers.ts'

export interface FamilyStrategy {
  /**
   * Returns whether the signer's keys and log are ours. Halts all outgoing transactions if they are not.
   * @throws SignerAwayError if the signer does not answer
   */
  attest(memory: EngineMemory): Promise<boolean>
  /**
   * Stores what the outgoing sources need for their proposals. Called in each round that may plan, also if
   * nothing is proposed.
   */
  beforePlanning?(memory: EngineMemory, signal: AbortSignal): Promise<void>
  /**
   * Assigns a slot (a nonce or a pinned outpoint) and fees to each proposal that can be sent now, in the
   * order of the proposals. Stores no outgoing transaction.
   * @throws NodeError if a node does not answer
   */
  prepare(memory: EngineMemory, proposals: readonly Proposal[], signal: AbortSignal): Promise<PlanningOutcome>
  /**
   * Stores what planned transactions need in addition to their own rows, such as the reservation of UTXOs.
   * `tx` is the database transaction that also stores these rows.
   * @throws NotWantedError if something that a planned transaction would spend was used elsewhere since
   * `prepare`
   */
  reserve(tx: Tx, planned: readonly NewOutgoingTransaction[]): Promise<void>
  /** Returns the requests to the signer for stored outgoing transactions, in the same order. */
  requestsFor(
    memory: EngineMemory,
    outgoingTransactions: readonly StoredOutgoingTransaction[],
  ): Promise<readonly SignRequest[]>
  /**
   * Computes the transaction hash of signed bytes.
   * @throws SignedBytesError if the bytes differ from the request or were signed with another key
   */
  readSigned(memory: EngineMemory, request: SignRequest, raw: string): string
  /**
   * Verifies that the transaction of an entry in the signer's log does what the intent of the entry says.
   * @throws SignedBytesError if the transaction does anything else
   */
  requireOwnEntry(memory: EngineMemory, entry: LogEntry): void
  /** Returns the slot and the fees of an entry of the signer's log. */
  readEntry(memory: EngineMemory, entry: LogEntry): FamilyTerms
  /** Returns the fees of bytes that were signed for an outgoing transaction. */
  readFees(
    on: Queryable,
    outgoingTransaction: StoredOutgoingTransaction,
    signed: { readonly txHash: string; readonly raw: string },
  ): Promise<Fees>
  /**
   * Returns the ids of the outgoing transactions that are only planned and conflict with an entry of the
   * signer's log. Such a transaction uses the slot or UTXOs of the entry, or has the id of the entry.
   * @param terms are the slot and fees of the entry (`readEntry`)
   */
  findConflicting(tx: Tx, entry: LogEntry, terms: FamilyTerms): Promise<readonly string[]>
  /**
   * Releases the UTXOs that the transaction of `entry` reclaims from another transaction. Called before the
   * entry is stored.
   */
  release?(tx: Tx, entry: LogEntry): Promise<void>
  /**
   * Stores what an adopted entry of the signer's log needs in addition to the row of its outgoing
   * transaction. The method is undefined if the family needs nothing else.
   */
  adopt?(memory: EngineMemory, tx: Tx, entry: LogEntry): Promise<void>
  /** Returns receipts as `ChainSender.readReceipts` does. */
  readReceipts(
    txHashes: readonly string[],
    signal: AbortSignal,
    agreedUpTo?: number,
  ): Promise<readonly (TransactionReceipt | undefined)[]>
  /**
   * Returns the transfers that the block of a mined outgoing transaction must contain. If one of them is
   * missing, the transaction may not end with success, because success removes the amount from the books. The
   * list is empty if nothing leaves our wallets. It is also empty if the transaction hash alone proves the
   * transfers, as on UTXO chains.
   */
  expectedTransfers(outgoingTransaction: StoredOutgoingTransaction): readonly ExpectedTransfer[]
  /**
   * Halts all outgoing transactions if somebody else spent one of our UTXOs. Also stores what is needed to
   * spend our other UTXOs. Called only when the database contains every entry of the signer's log. The method
   * is undefined on EVM chains, where `recovery` compares the nonces of hot wallets.
   */
  inspect?(memory: EngineMemory, signal: AbortSignal): Promise<void>
  /**
   * Returns, for each outgoing transaction, the block that used its nonce or one of its UTXOs. Only blocks up
   * to `height` are searched. Undefined if there is no such block.
   */
  findTaken(
    outgoingTransactions: readonly StoredOutgoingTransaction[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly (TakenSlot | undefined)[]>
  /**
   * Returns the outgoing transactions whose fees may be raised by a new attempt. Leaves out transactions that
   * wait for another transaction of ours, and transactions whose fees are raised by a CPFP transaction (child
   * pays for parent) instead.
   */
  firstOf(outgoingTransactions: readonly StoredOutgoingTransaction[]): readonly StoredOutgoingTransaction[]
  /**
   * Returns, for each outgoing transaction, higher fees; undefined if the fees may not be raised further.
   * @throws NodeError if a node does not answer
   */
  bumpFees(
    memory: EngineMemory,
    outgoingTransactions: readonly StoredOutgoingTransaction[],
    signal: AbortSignal,
  ): Promise<readonly (Fees | undefined)[]>
  /**
   * Returns the current price per unit of gas. When this price falls, transactions that the signer refused
   * because of their cost are tried again.
   * @throws NodeError if a node does not answer
   */
  readPrice?(signal: AbortSignal): Promise<bigint | undefined>
  /**
   * Returns the proposals that replace a refused proposal: several smaller proposals, or the refused proposal
   * itself if it cannot be split.
   */
  partsOf(refused: Proposal): readonly Proposal[]
  /** Fills gaps between the nonces of a wallet. Undefined for families without nonces. */
  readonly nonceGaps?: NonceGaps
  readonly recovery: RecoveryStrategy
}

export interface NonceGaps {
  /**
   * Plans a nonce-gap transaction for the nonce of a deleted outgoing transaction, if signed transactions
   * with later nonces wait for that nonce.
   */
  fill(memory: EngineMemory, tx: Tx, deleted: StoredOutgoingTransaction): Promise<void>
  /**
   * Returns whether an outgoing transaction is a nonce-gap transaction. Such a transaction is signed even
   * while a halt is active.
   */
  isNonceGapTransaction(outgoingTransaction: StoredOutgoingTransaction): boolean
}
