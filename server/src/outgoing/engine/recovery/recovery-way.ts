import type { NewAttempt } from '../attempt-store.ts'
import type { MachineMemory } from '../machine-memory.ts'
import type { StoredPayout } from '../store.ts'
import type { Recovery, RecoveryStep } from './recovery.ts'

/** What differs between kinds of chains once database and log went back in time. */
export interface RecoveryWay {
  /** What an operator does, and what happens then, in words. */
  readonly wayOut: string
  /**
   * What the nodes show of our wallets that neither the database nor the signer's log knows; undefined where that is nothing.
   * @throws NodeError where too few nodes answer
   */
  findAhead(memory: MachineMemory, signal: AbortSignal): Promise<string | undefined>
  /** Does what can be done now of a recovery. @throws NodeError */
  recover(memory: MachineMemory, recovery: Recovery, signal: AbortSignal): Promise<RecoveryStep>
  /** Which payouts, by their ids, are the recovery's own: they are signed while nothing else is. */
  findOwn(payoutIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * The transaction that took a payout's place, where it did what the payout was to do: bytes that were signed for it and
   * forgotten. Undefined where it did something else.
   */
  readTwin(
    memory: MachineMemory,
    payout: StoredPayout,
    height: number,
    signal: AbortSignal,
  ): Promise<NewAttempt | undefined>
}
