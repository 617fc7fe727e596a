import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { saveLastUsed } from './key-store.ts'

/**
 * When keys were last used: collected in memory and written at most once a second in one statement, because a commit
 * for each request would cost more than the request. A crash loses a second of it.
 */
export class LastUsed {
  readonly #db: Queryable
  readonly #clock: Clock
  readonly #log: Log
  readonly #intervalMs: number
  /** By the key's hash in hex: a use of a replaced key must not be told of its successor. */
  #pending = new Map<string, Date>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: {
    readonly db: Queryable
    readonly clock: Clock
    readonly log: Log
    readonly intervalMs?: number
  }) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#log = parts.log
    this.#intervalMs = parts.intervalMs ?? 1_000
  }

  note(keyHash: Buffer): void {
    this.#pending.set(keyHash.toString('hex'), this.#clock.now())
    this.#schedule()
  }

  /** A use that may not be written yet. */
  pending(keyHash: Buffer): Date | undefined {
    return this.#pending.get(keyHash.toString('hex'))
  }

  /** Writes what is pending; after it `note` must not be called any more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#flush()
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#flush()
    }, this.#intervalMs)
    this.#timer.unref()
  }

  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const uses = [...this.#pending].map(([hex, usedAt]) => ({ hash: Buffer.from(hex, 'hex'), usedAt }))
    if (uses.length === 0) return
    try {
      await saveLastUsed(this.#db, uses)
    } catch (error) {
      // The uses stay pending and go with the next request's.
      this.#log.warn({ err: error, keys: uses.length }, 'could not note when keys were last used')
      return
    }
    for (const { hash, usedAt } of uses) {
      const hex = hash.toString('hex')
      if (this.#pending.get(hex) === usedAt) this.#pending.delete(hex)
    }
  }
}
