import { type Clock, systemClock } from '../clock.ts'
import { linkSignal } from './linked-signal.ts'
import { Wake, type Worker } from './work-loop.ts'

export interface SharedLookOptions<Seen> {
  readonly name: string
  readonly clock?: Clock | undefined
  /** How often is looked where nobody tells of news. */
  readonly idleMs: number
  /** Between two looks, so that a stream of news does not become as many looks. */
  readonly restMs: number
  /** What there is now, by key. A key that is absent has nothing, or nothing any more. */
  look(keys: readonly string[]): Promise<ReadonlyMap<string, Seen>>
  /** Whether that is news to one who has seen `seen`. */
  isNews(now: Seen | undefined, seen: Seen): boolean
}

interface Waiting<Seen> {
  readonly seen: Seen
  readonly changed: AbortController
}

/**
 * Many who wait for news, each of a key, and one look for all of them: each time somebody wakes it, and now and then
 * where nobody does. Whoever waits holds nothing but its place here, no connection above all.
 */
export class SharedLook<Seen> implements Worker {
  readonly name: string
  readonly idleMs: number
  /** To be called when there may be news; and by who waits, where there may have been some since it looked itself. */
  readonly wake = new Wake()
  readonly #options: SharedLookOptions<Seen>
  readonly #clock: Clock
  readonly #waitingByKey = new Map<string, Set<Waiting<Seen>>>()

  constructor(options: SharedLookOptions<Seen>) {
    this.name = options.name
    this.idleMs = options.idleMs
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Resolves when the key has news to one who has seen `seen`, when `ms` are over, or when the signal aborts. */
  async waitFor(key: string, seen: Seen, ms: number, signal: AbortSignal): Promise<'changed' | 'same'> {
    const waiting = { seen, changed: new AbortController() }
    const ending = linkSignal([waiting.changed.signal, signal])
    this.#waitingByKey.set(key, (this.#waitingByKey.get(key) ?? new Set()).add(waiting))
    try {
      await this.#clock.sleep(ms, ending.signal)
      return waiting.changed.signal.aborted ? 'changed' : 'same'
    } finally {
      ending.release()
      const others = this.#waitingByKey.get(key)
      others?.delete(waiting)
      if (others?.size === 0) this.#waitingByKey.delete(key)
    }
  }

  /** One look for all who wait; none where nobody does. */
  async takeAndDo(signal: AbortSignal): Promise<number> {
    if (this.#waitingByKey.size === 0) return 0
    const keys = [...this.#waitingByKey.keys()]
    const found = await this.#options.look(keys)
    for (const key of keys) {
      for (const { seen, changed } of this.#waitingByKey.get(key) ?? []) {
        if (this.#options.isNews(found.get(key), seen)) changed.abort()
      }
    }
    await this.#clock.sleep(this.#options.restMs, signal)
    return 0
  }
}
