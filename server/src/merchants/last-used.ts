import { type Clock, startTimer, type Timer } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { saveLastUsed } from './key-store.ts'

/**
 * Collects the last uses of keys in memory, and writes them at most once a second in one statement. A commit
 * for each request would cost more than the request itself. A crash loses only the uses of the last second.
 */
export class LastUsed {
  readonly #db: Queryable
  readonly #clock: Clock
  readonly #log: Log
  readonly #intervalMs: number
  /**
   * The last use of each key, by the key's hash in hex. The hash and not the merchant identifies the key, so
   * that a use of a replaced key does not count for the new key.
   */
  #pending = new Map<string, Date>()
  #timer: Timer | undefined
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

  /** Returns the last use of the key, if that use is not stored yet. */
  pending(keyHash: Buffer): Date | undefined {
    return this.#pending.get(keyHash.toString('hex'))
  }

  /** Writes the uses of keys that are not stored yet. `note` must not be called afterwards. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    await this.#flush()
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = startTimer(() => {
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
      // The uses that could not be stored stay in memory and are written together with later uses.
      this.#log.warn({ err: error, keys: uses.length }, 'could not store when keys were last used')
      return
    }
    for (const { hash, usedAt } of uses) {
      const hex = hash.toString('hex')
      if (this.#pending.get(hex) === usedAt) this.#pending.delete(hex)
    }
  }
}
