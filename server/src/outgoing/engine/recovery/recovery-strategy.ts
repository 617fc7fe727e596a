import type { NewAttempt } from '../attempt-store.ts'
import type { EngineMemory } from '../engine-memory.ts'
import type { StoredOutgoingTransaction } from '../store.ts'
import type { Recovery, RecoveryStep } from './recovery.ts'

/**
 * The part of a recovery that differs between chain families. A recovery is needed when the database and the
 * signer's log may have been set back to an earlier state.
 */
export interface RecoveryStrategy {
  /** A text that says what an operator must do and what happens then. */
  readonly instructions: string
  /**
   * Returns a text about transactions of our wallets that nodes show but that neither the database nor the
   * signer's log knows; undefined if there are none.
   * @throws NodeError if too few nodes answer
   */
  findAhead(memory: EngineMemory, signal: AbortSignal): Promise<string | undefined>
  /**
   * Runs one step of a recovery: does everything that can be done now.
   * @throws NodeError if a node does not answer
   */
  recover(memory: EngineMemory, recovery: Recovery, signal: AbortSignal): Promise<RecoveryStep>
  /**
   * Returns the ids of the outgoing transactions that belong to the recovery. During a recovery, only these
   * and nonce-gap transactions are signed for the first time.
   */
  findOwn(outgoingTransactionIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Returns the mined transaction that used the nonce or UTXOs of an outgoing transaction and made the same
   * payments. The signer signed it for that outgoing transaction, and the database lost it. Returns undefined
   * if the mined transaction did something else.
   */
  readTwin(
    memory: EngineMemory,
    outgoingTransaction: StoredOutgoingTransaction,
    height: number,
    signal: AbortSignal,
  ): Promise<NewAttempt | undefined>
}
