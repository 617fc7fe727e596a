import { type Clock, systemClock } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { linkSignal } from '../core/linked-signal.ts'
import { Wake, type Worker } from '../core/work-loop.ts'
import type { Db } from '../db/pool.ts'
import { lastSequences } from './feed-store.ts'

export interface ArrivalsParts {
  readonly db: Db
  readonly clock?: Clock
  /** How often is looked where nobody tells of new events. */
  readonly pollMs?: number
  readonly readersMax?: number
  readonly readersPerMerchantMax?: number
}

interface Reader {
  readonly merchantId: string
  readonly after: number
  readonly arrived: AbortController
}

/** Between two looks, so that a stream of events does not become as many queries. */
const restMs = 10

/**
 * Readers of the feed that wait for an event. They hold no connection: one look in the database serves all who wait at
 * this process, each time somebody tells of new events, and now and then where nobody does.
 */
export class Arrivals implements Worker {
  readonly name = 'arrivals'
  readonly idleMs: number
  /** To be called when events were committed. */
  readonly wake = new Wake()
  readonly #parts: ArrivalsParts
  readonly #clock: Clock
  readonly #readers = new Map<string, Set<Reader>>()
  #count = 0

  constructor(parts: ArrivalsParts) {
    this.#parts = parts
    this.#clock = parts.clock ?? systemClock
    this.idleMs = parts.pollMs ?? limits.feedPollMs
  }

  get waiting(): number {
    return this.#count
  }

  /**
   * Resolves when the merchant has an event after `after`, when `ms` are over, or when the signal aborts.
   * @throws Problem too-many-requests, too-busy where no more may wait
   */
  async waitFor(merchantId: string, after: number, ms: number, signal: AbortSignal): Promise<void> {
    this.#refuseTooMany(merchantId)
    const reader = { merchantId, after, arrived: new AbortController() }
    const ending = linkSignal([reader.arrived.signal, signal])
    this.#add(reader)
    try {
      // What came since the reader looked itself was told to nobody.
      this.wake.now()
      await this.#clock.sleep(ms, ending.signal)
    } finally {
      ending.release()
      this.#remove(reader)
    }
  }

  /** One look for all who wait. */
  async takeAndDo(signal: AbortSignal): Promise<number> {
    if (this.#count === 0) return 0
    const sequences = await lastSequences(this.#parts.db, [...this.#readers.keys()])
    for (const [merchantId, readers] of this.#readers) {
      const last = sequences.get(merchantId) ?? 0
      for (const { after, arrived } of readers) if (last > after) arrived.abort()
    }
    await this.#clock.sleep(restMs, signal)
    return 0
  }

  #refuseTooMany(merchantId: string): void {
    const { readersMax = limits.feedReaders, readersPerMerchantMax = limits.feedReadersPerMerchant } =
      this.#parts
    if ((this.#readers.get(merchantId)?.size ?? 0) >= readersPerMerchantMax) {
      const detail = `At most ${readersPerMerchantMax} readers of a merchant's events wait at once: read without waitS, or with fewer.`
      throw fail('too-many-requests', detail, { retryAfterS: 5 })
    }
    if (this.#count < readersMax) return
    throw fail('too-busy', 'Too many readers wait for events: read without waitS.', { retryAfterS: 5 })
  }

  #add(reader: Reader): void {
    const readers = this.#readers.get(reader.merchantId) ?? new Set()
    this.#readers.set(reader.merchantId, readers.add(reader))
    this.#count += 1
  }

  #remove(reader: Reader): void {
    const readers = this.#readers.get(reader.merchantId)
    if (readers?.delete(reader) !== true) return
    this.#count -= 1
    if (readers.size === 0) this.#readers.delete(reader.merchantId)
  }
}
