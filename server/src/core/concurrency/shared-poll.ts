import { type Clock, systemClock } from '../clock.ts'
import { linkSignal } from './linked-signal.ts'
import { Wake, type Worker } from './work-loop.ts'

export interface SharedPollOptions<Seen> {
  readonly name: string
  readonly clock?: Clock | undefined
  /** The interval between two polls when nobody calls `wake.now()`. */
  readonly idleMs: number
  /** The minimum delay between two polls, so that frequent wakes do not cause equally frequent polls. */
  readonly restMs: number
  /** Returns the current state of each key. A key without a state is absent from the result. */
  poll(keys: readonly string[]): Promise<ReadonlyMap<string, Seen>>
  /** Decides whether the current state `now` is news for a waiter that has already seen the state `seen`. */
  isNews(now: Seen | undefined, seen: Seen): boolean
}

interface Waiting<Seen> {
  readonly seen: Seen
  readonly changed: AbortController
}

/**
 * Lets many callers wait for news, each for news of one key. One poll serves all callers. The poll runs at an
 * interval, and earlier if it is woken. A waiting caller takes only an entry in a map, and no database
 * connection.
 */
export class SharedPoll<Seen> implements Worker {
  readonly name: string
  readonly idleMs: number
  /**
   * Call `wake.now()` when there may be news. A caller of `waitFor` also calls `wake.now()` if news may have
   * arrived after the caller's own read and before its wait began.
   */
  readonly wake = new Wake()
  readonly #options: SharedPollOptions<Seen>
  readonly #clock: Clock
  readonly #waitingByKey = new Map<string, Set<Waiting<Seen>>>()

  constructor(options: SharedPollOptions<Seen>) {
    this.name = options.name
    this.idleMs = options.idleMs
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /**
   * Resolves to `changed` when the key has news for a caller that has seen the state `seen`. Resolves to
   * `same` when `ms` have passed or the signal aborts.
   */
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

  /** Polls once for all waiters; does nothing if there are none. */
  async runBatch(signal: AbortSignal): Promise<number> {
    if (this.#waitingByKey.size === 0) return 0
    const keys = [...this.#waitingByKey.keys()]
    const found = await this.#options.poll(keys)
    for (const key of keys) {
      for (const { seen, changed } of this.#waitingByKey.get(key) ?? []) {
        if (this.#options.isNews(found.get(key), seen)) changed.abort()
      }
    }
    await this.#clock.sleep(this.#options.restMs, signal)
    return 0
  }
}
