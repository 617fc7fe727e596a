/**
 * The time of a simulation. It passes only when a move advances it, when all work waits for a timer, or while the
 * installation comes to rest. Each host has its own clock, which a move can set to a wrong time. The same amount of
 * time passes on all hosts.
 */
import type { Timer, TimeSource } from '../../src/core/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly order: number
  end(): Promise<void>
}

/** The name of a simulated host, which has its own clock: the name of a process, or `signer`. */
export type Host = string

export class SimulatedTime implements TimeSource {
  /** Returns the host of the code that now asks for the time; undefined if the simulation itself asks. */
  whoAsks: () => Host | undefined = () => undefined
  /**
   * Called when a timer starts. Returns the function that ends the timer and then continues the work that
   * started it.
   */
  continuing: (onEnd: () => void) => () => Promise<void> = (onEnd) => async () => onEnd()
  #wallMs: number
  /** The milliseconds by which each clock is ahead of the true time. A clock without an entry is right. */
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

  /** Returns the time that the clock of a host shows. */
  wallMsOf(host: Host): number {
    return this.#wallMs + (this.#aheadMs.get(host) ?? 0)
  }

  /** Returns the true time. The clock of the database shows this time. */
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

  /** Advances the time, and ends the timers that are due in the order of their due times. */
  async pass(ms: number): Promise<void> {
    this.#wallMs += ms
    this.#passedMs += ms
    for (const one of this.#inOrder()) {
      if (one.dueMs > this.#passedMs) break
      // The work that an earlier timer continued may have cancelled this timer.
      if (!this.#pending.includes(one)) continue
      this.#pending = this.#pending.filter((other) => other !== one)
      await one.end()
    }
  }

  /** Sets the clock of a host. Timers are not affected. */
  setClock(host: Host, aheadMs: number): void {
    this.#aheadMs.set(host, aheadMs)
  }

  /** Sets all clocks right. */
  setClocksRight(): void {
    this.#aheadMs.clear()
  }

  /** Removes all timers. Call this function after all processes were killed. */
  clear(): void {
    this.#pending = []
  }

  #inOrder(): readonly Pending[] {
    return [...this.#pending].sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
  }
}
