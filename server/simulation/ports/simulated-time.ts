/**
 * The time of a simulation. It stands still until a move lets it pass. Each machine has a clock of its own, which a
 * move may set to another time; how much time passes is the same for all.
 */
import type { Timer, TimeSource } from '../../src/core/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly order: number
  onEnd(): void
}

/** What runs on a machine with a clock: a process by its name, or the signer. */
export type Machine = string

export class SimulatedTime implements TimeSource {
  /** Returns on which machine the code runs that asks for the time; undefined for the simulation itself. */
  whoAsks: () => Machine | undefined = () => undefined
  #wallMs: number
  /** How far each clock is ahead of the true time. A clock without an entry is right. */
  readonly #aheadMs = new Map<Machine, number>()
  #passedMs = 0
  #order = 0
  #pending: Pending[] = []

  constructor(startMs: number) {
    this.#wallMs = startMs
  }

  wallMs(): number {
    const machine = this.whoAsks()
    return machine === undefined ? this.#wallMs : this.wallMsOf(machine)
  }

  /** Returns what the clock of a machine shows. */
  wallMsOf(machine: Machine): number {
    return this.#wallMs + (this.#aheadMs.get(machine) ?? 0)
  }

  /** Returns the true time, which the database has. */
  get trueMs(): number {
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

  /** Sets the clock of a machine, which does not change how much time passes. */
  setClock(machine: Machine, aheadMs: number): void {
    this.#aheadMs.set(machine, aheadMs)
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
