/** The time of a simulation. It stands still until a move lets it pass. */
import type { Timer, TimeSource } from '../../src/core/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly order: number
  onEnd(): void
}

export class SimulatedTime implements TimeSource {
  #wallMs: number
  #passedMs = 0
  #order = 0
  #pending: Pending[] = []

  constructor(startMs: number) {
    this.#wallMs = startMs
  }

  wallMs(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#passedMs
  }

  startTimer(onEnd: () => void, ms: number): Timer {
    const pending = { dueMs: this.#passedMs + Math.max(0, ms), order: this.#order, onEnd }
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
  pass(ms: number): void {
    this.#wallMs += ms
    this.#passedMs += ms
    for (const one of this.#inOrder()) {
      if (one.dueMs > this.#passedMs) break
      this.#pending = this.#pending.filter((other) => other !== one)
      one.onEnd()
    }
  }

  /** Sets the clock of the machine, which does not change how much time has passed. */
  set(wallMs: number): void {
    this.#wallMs = wallMs
  }

  /** Forgets all timers, as when every process has died. */
  clear(): void {
    this.#pending = []
  }

  #inOrder(): readonly Pending[] {
    return [...this.#pending].sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)
  }
}
