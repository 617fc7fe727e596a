import { clearFailure, saveFailure } from '../chains/blocks/failure-store.ts'
import { NodeError } from '../chains/port.ts'
import { InvariantError } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { assertLease, type Lease, LeaseLostError } from '../platform/db/lease.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, sqlState } from '../platform/db/transaction.ts'

export interface KeepFailureParts {
  readonly db: Db
  readonly network: string
  readonly lease: Lease
  readonly log: Log
}

/**
 * Stores the last failure of a chain, so that operators can see why the chain is not followed. The failure is
 * removed when the chain is followed again.
 */
export class FailureRecord {
  readonly #parts: KeepFailureParts
  /**
   * Whether a stored failure may exist. True at first, because a previous holder of the lease may have stored
   * one.
   */
  #mayBeKept = true

  constructor(parts: KeepFailureParts) {
    this.#parts = parts
  }

  /**
   * Runs `work` and stores its error if it fails. No error is stored after `signal` was aborted or the lease
   * was lost.
   */
  async during<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted && !(error instanceof LeaseLostError)) await this.#keep(error)
      throw error
    }
  }

  /** Removes the stored failure after a step along the chain has succeeded. */
  async clear(): Promise<void> {
    if (!this.#mayBeKept) return
    const { db, network, lease } = this.#parts
    await inTransaction(db, async (tx) => {
      await assertLease(tx, lease)
      await clearFailure(tx, network)
    })
    this.#mayBeKept = false
  }

  /** Stores a failure. An error while storing is only logged, so that the caller can throw the failure. */
  async #keep(error: unknown): Promise<void> {
    const { db, network, lease, log } = this.#parts
    this.#mayBeKept = true
    try {
      await inTransaction(db, async (tx) => {
        await assertLease(tx, lease)
        await saveFailure(tx, network, describeFailure(error))
      })
    } catch (unkept) {
      log.warn({ network, err: unkept }, 'the reason why the chain is not followed could not be stored')
    }
  }
}

const messageCharsMax = 300

/**
 * Returns the text of a failure. The text must contain no secrets, because /readyz shows it without a
 * credential. Errors of other classes than NodeError and InvariantError are described by their kind only. The
 * log contains them in full.
 */
function describeFailure(error: unknown): string {
  if (error instanceof NodeError || error instanceof InvariantError)
    return error.message.replaceAll(urlPattern, '(a URL)').slice(0, messageCharsMax)
  const state = sqlState(error)
  if (state !== undefined) return `the database rejected it (${state})`
  return `${error instanceof Error ? error.name : 'an error'}, see the log`
}

const urlPattern = /[a-z]+:\/\/\S+/gi
