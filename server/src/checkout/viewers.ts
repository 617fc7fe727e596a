import { type Clock, systemClock } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { linkSignal } from '../core/linked-signal.ts'
import { turns } from '../core/turns.ts'
import { Wake, type Worker } from '../core/work-loop.ts'
import type { Db } from '../db/pool.ts'
import { readMarks } from './store.ts'

export interface ViewersParts {
  readonly db: Db
  readonly clock?: Clock
  /** How often is looked where nobody tells of anything: blocks on top of a payment, and time, are told by nobody. */
  readonly pollMs?: number
  readonly viewersMax?: number
  readonly viewersPerClientMax?: number
}

interface Waiting {
  readonly mark: string | undefined
  readonly changed: AbortController
}

/** Between two looks, so that a busy server is not asked at each of its events. */
const restMs = 50

/**
 * Pages that are open and wait for news. They hold no connection to the database: one look serves all who wait at this
 * process, each time somebody tells of events, and every second where nobody does.
 */
export class Viewers implements Worker {
  readonly name = 'viewers'
  readonly idleMs: number
  /** To be called when events were committed. */
  readonly wake = new Wake()
  /** Has what a followed page shows be read: a block is news for all at once, and the database serves more than them. */
  readonly inTurn = turns(limits.checkoutReadsAtOnce)
  readonly #parts: ViewersParts
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<Waiting>>()
  readonly #clients = new Map<string, number>()
  #count = 0

  constructor(parts: ViewersParts) {
    this.#parts = parts
    this.#clock = parts.clock ?? systemClock
    this.idleMs = parts.pollMs ?? limits.checkoutPollMs
  }

  /** Pages that are followed now. */
  get count(): number {
    return this.#count
  }

  /**
   * Lets one more page of a client be followed until what is returned is called.
   * @throws Problem too-many-requests, too-busy; such a page asks now and then instead
   */
  admit(client: string): () => void {
    const { viewersMax = limits.checkoutViewers, viewersPerClientMax = limits.checkoutViewersPerClient } =
      this.#parts
    const own = this.#clients.get(client) ?? 0
    if (own >= viewersPerClientMax) {
      const detail = `At most ${viewersPerClientMax} pages of one client are followed at once.`
      throw fail('too-many-requests', detail, { retryAfterS: 30 })
    }
    if (this.#count >= viewersMax) {
      throw fail('too-busy', 'Too many pages are followed: ask now and then.', { retryAfterS: 30 })
    }
    this.#clients.set(client, own + 1)
    this.#count += 1
    let isAdmitted = true
    return () => {
      if (isAdmitted) this.#leave(client)
      isAdmitted = false
    }
  }

  /** Resolves when the invoice's mark is another than `mark`, when `ms` are over, or when the signal aborts. */
  async waitFor(
    invoiceId: string,
    mark: string | undefined,
    ms: number,
    signal: AbortSignal,
  ): Promise<'changed' | 'same'> {
    const waiting = { mark, changed: new AbortController() }
    const ending = linkSignal([waiting.changed.signal, signal])
    this.#waiting.set(invoiceId, (this.#waiting.get(invoiceId) ?? new Set()).add(waiting))
    try {
      await this.#clock.sleep(ms, ending.signal)
      return waiting.changed.signal.aborted ? 'changed' : 'same'
    } finally {
      ending.release()
      const others = this.#waiting.get(invoiceId)
      others?.delete(waiting)
      if (others?.size === 0) this.#waiting.delete(invoiceId)
    }
  }

  /** One look for all who wait. */
  async takeAndDo(signal: AbortSignal): Promise<number> {
    if (this.#waiting.size === 0) return 0
    const ids = [...this.#waiting.keys()]
    const marks = await readMarks(this.#parts.db, ids)
    for (const id of ids) {
      for (const { mark, changed } of this.#waiting.get(id) ?? []) {
        if (marks.get(id) !== mark) changed.abort()
      }
    }
    await this.#clock.sleep(restMs, signal)
    return 0
  }

  #leave(client: string): void {
    const left = (this.#clients.get(client) ?? 1) - 1
    if (left === 0) this.#clients.delete(client)
    else this.#clients.set(client, left)
    this.#count -= 1
  }
}
