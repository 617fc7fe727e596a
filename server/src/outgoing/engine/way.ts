/** What differs between kinds of chains in making a transaction of ours. All else of a payout is the same on all of them. */
import type { TakenPlace, TransactionReceipt } from '../../chains/port.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { WalletPlace } from '../../signing/intent.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { MachineMemory } from './machine-memory.ts'
import type { Fees } from './payout.ts'
import type { Placing } from './placing.ts'
import type { Proposal } from './purpose.ts'
import type { RecoveryWay } from './recovery/recovery-way.ts'
import type { NewPayout, StoredPayout } from './store.ts'
import type { ExpectedTransfer } from './unmoved/expected-transfers.ts'

/** The place that a transaction takes, and what it offers. */
export interface SentFrom {
  readonly from: WalletPlace
  readonly wallet: string
  readonly nonce: number
  readonly fees: Fees
}

export interface PayoutWay {
  /**
   * Whether the signer has the keys that we know; where it has others, payouts are halted.
   * @throws SignerAwayError
   */
  attest(memory: MachineMemory): Promise<boolean>
  /**
   * Gives proposals, in their order, what they need to be signed; nothing is stored.
   * @throws NodeError
   */
  place(memory: MachineMemory, proposals: readonly Proposal[], signal: AbortSignal): Promise<Placing>
  /**
   * Stores what payouts need beside their own rows, in the transaction that plans them.
   * @throws NotWantedError where it went elsewhere since it was placed
   */
  reserve(tx: Tx, planned: readonly NewPayout[]): Promise<void>
  /** What the signer is asked for payouts as they are stored, in their order. */
  requestsFor(memory: MachineMemory, payouts: readonly StoredPayout[]): Promise<readonly SignRequest[]>
  /**
   * The hash of what was signed for a request, computed here.
   * @throws SignedBytesError where the bytes are anything else than what was asked, or signed by anybody else
   */
  readSigned(memory: MachineMemory, request: SignRequest, raw: string): string
  /**
   * Whether the request of an entry of the signer's log carries out its intent, with our own addresses where it names
   * places of ours.
   * @throws SignedBytesError where it does anything else
   */
  requireOwnEntry(memory: MachineMemory, entry: LogEntry): void
  /** From where an entry of the signer's log sends, and what it offers. */
  readEntry(memory: MachineMemory, entry: LogEntry): SentFrom
  /** Payouts that are merely planned and would spend what an entry spends. */
  findInTheWay(tx: Tx, entry: LogEntry): Promise<readonly string[]>
  /** Stores what an entry that is taken over needs beside its payout's row. */
  adopt(memory: MachineMemory, tx: Tx, entry: LogEntry): Promise<void>
  /** In the order of the hashes; undefined for one that is in no block. */
  readReceipts(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (TransactionReceipt | undefined)[]>
  /**
   * What the block of a payout must hold before it ends with success, as it leaves the books then. Empty where a hash says
   * it all, as where money lies in coins, and where nothing leaves.
   */
  expectedTransfers(payout: StoredPayout): readonly ExpectedTransfer[]
  /**
   * Looks whether somebody else spent what is ours; then payouts are halted. Keeps what is needed to spend the rest. The
   * database holds the signer's log.
   */
  inspect(memory: MachineMemory, signal: AbortSignal): Promise<void>
  /** Of each payout, where the place that it was to take is taken in blocks up to `height`; undefined where it is free. */
  findTaken(
    payouts: readonly StoredPayout[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly (TakenPlace | undefined)[]>
  /** Those that wait for no other payout of ours to be mined first. */
  firstOf(payouts: readonly StoredPayout[]): readonly StoredPayout[]
  /**
   * A dearer offer for each payout at its place; undefined where no more may be offered.
   * @throws NodeError
   */
  raise(
    memory: MachineMemory,
    payouts: readonly StoredPayout[],
    signal: AbortSignal,
  ): Promise<readonly (Fees | undefined)[]>
  /**
   * What a unit of gas costs now, where what was refused for its price is tried again once it costs less.
   * @throws NodeError
   */
  readPrice?(signal: AbortSignal): Promise<bigint | undefined>
  /** What is tried again of a proposal that the signer refused, which it is if nothing else. */
  partsOf(refused: Proposal): readonly Proposal[]
  /** Told of a payout that was taken back before it was signed: others may wait for its place. */
  gaveBack(memory: MachineMemory, tx: Tx, payout: StoredPayout): Promise<void>
  /** Whether a payout is there to fill such a place, and is signed even under a halt. */
  isFiller(payout: StoredPayout): boolean
  readonly recovery: RecoveryWay
}
