/**
 * The time of a simulation. It stands still until a move lets it pass. Each host has a clock of its own, which a
 * move may set to another time; how much time passes is the same for all.
 */
import type { Timer, TimeSource } from '../../src/core/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly order: number
  end(): Promise<void>
}

/** What runs on a host with a clock: a process by its name, or the signer. */
export type Host = string

export class SimulatedTime implements TimeSource {
  /** Returns on which host the code runs that asks for the time; undefined for the simulation itself. */
  whoAsks: () => Host | undefined = () => undefined
  /** Returns what goes on with the running work when its timer ends. */
  continuing: (onEnd: () => void) => () => Promise<void> = (onEnd) => async () => onEnd()
  #wallMs: number
  /** How far each clock is ahead of the true time. A clock without an entry is right. */
  readonly #aheadMs = new Map<Host, number>()
  #passedMs = 0
  #order = 0
  #pending: Pending[] = []

  constructor(startMs: number) {
    this.#wallMs = startMs
  }

  wallMs(): number {
    const host = this.whoAsks()
    return host === undefined ? this.#wallMs : this.wallMsOf(host)
  }

  /** Returns what the clock of a host shows. */
  wallMsOf(host: Host): number {
    return this.#wallMs + (this.#aheadMs.get(host) ?? 0)
  }

  /** Returns the true time, which the database has. */
  get trueMs(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#passedMs
  }

  startTimer(onEnd: () => void, ms: number): Timer {
    const dueMs = this.#passedMs + Math.max(0, ms)
    const pending: Pending = { dueMs, order: this.#order, end: this.continuing(onEnd) }
    this.#order += 1
    this.#pending.push(pending)
    const timer: Timer = {
      cancel: () => {
        this.#pending = this.#pending.filter((one) => one !== pending)
      },
      unref: () => timer,
    }
    return timer
  }

  /** Returns the milliseconds until the next timer ends; undefined if none runs. */
  get nextInMs(): number | undefined {
    const [next] = this.#inOrder()
    return next && Math.max(0, next.dueMs - this.#passedMs)
  }

  /** Lets time pass, and ends the timers that are due, in their order. */
  async pass(ms: number): Promise<void> {
    this.#wallMs += ms
    this.#passedMs += ms
    for (const one of this.#inOrder()) {
      if (one.dueMs > this.#passedMs) break
      // What an earlier timer woke may have cancelled this one.
      if (!this.#pending.includes(one)) continue
      this.#pending = this.#pending.filter((other) => other !== one)
      await one.end()
    }
  }

  /** Sets the clock of a host, which does not change how much time passes. */
  setClock(host: Host, aheadMs: number): void {
    this.#aheadMs.set(host, aheadMs)
  }

  /** Sets all clocks right. */
  setClocksRight(): void {
    this.#aheadMs.clear()
  }

  /** Forgets all timers, as when every process has died. */
  clear(): void {
    this.#pending = []
  }

  #inOrder(): readonly Pending[] {
    return [...this.#pending].sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
  }
}
