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

/** Keeps what last stopped a chain until the chain goes on, for whoever asks why it stands still. */
export class FailureRecord {
  readonly #parts: KeepFailureParts
  /** A holder before us may have left one. */
  #mayBeKept = true

  constructor(parts: KeepFailureParts) {
    this.#parts = parts
  }

  /** Does `work`, and keeps why if it fails, other than by its signal or a lost lease. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted && !(error instanceof LeaseLostError)) await this.#keep(error)
      throw error
    }
  }

  /** The chain goes on. */
  async clear(): Promise<void> {
    if (!this.#mayBeKept) return
    const { db, network, lease } = this.#parts
    await inTransaction(db, async (tx) => {
      await assertLease(tx, lease)
      await clearFailure(tx, network)
    })
    this.#mayBeKept = false
  }

  /** Where even this cannot be written, the first error is still the one to be told. */
  async #keep(error: unknown): Promise<void> {
    const { db, network, lease, log } = this.#parts
    this.#mayBeKept = true
    try {
      await inTransaction(db, async (tx) => {
        await assertLease(tx, lease)
        await saveFailure(tx, network, describeFailure(error))
      })
    } catch (unkept) {
      log.warn({ network, err: unkept }, 'why the chain is not followed could not be written down')
    }
  }
}

const messageCharsMax = 300

/**
 * A failure for anyone to read: /readyz asks for no credential. Errors that are not our own say what they are, not
 * what they carry; the log has them whole.
 */
function describeFailure(error: unknown): string {
  if (error instanceof NodeError || error instanceof InvariantError)
    return error.message.replaceAll(urlPattern, '(a URL)').slice(0, messageCharsMax)
  const state = sqlState(error)
  if (state !== undefined) return `the database refuses it (${state})`
  return `${error instanceof Error ? error.name : 'an error'}, told in the log`
}

const urlPattern = /[a-z]+:\/\/\S+/gi
