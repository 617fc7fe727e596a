/**
 * Reports the results of many seeds: the errors that were found, the moves and states that were reached, and
 * the speed.
 */
import type { TaskResult } from './task.ts'

const progressEveryMs = 5_000

export class Report {
  failing = 0
  readonly #seeds: number
  readonly #isJson: boolean
  readonly #beganMs = performance.now()
  readonly #totals = { steps: 0, locks: 0, deadlocks: 0, lockTimeouts: 0, permuted: 0 }
  readonly #moves: Record<string, number> = {}
  readonly #states: Record<string, number> = {}
  readonly #failures: TaskResult[] = []
  #done = 0
  #shownMs = performance.now()

  constructor(seeds: number, isJson: boolean) {
    this.#seeds = seeds
    this.#isJson = isJson
  }

  add(result: TaskResult): void {
    const { counts } = result
    this.#done += 1
    for (const name of ['steps', 'locks', 'deadlocks', 'lockTimeouts', 'permuted'] as const)
      this.#totals[name] += counts[name]
    addAll(this.#moves, counts.moves)
    addAll(this.#states, counts.states)
    if (result.findings.length > 0) {
      this.failing += 1
      this.#failures.push(result)
      if (!this.#isJson)
        console.log(
          [
            `seed ${result.seed}: ${result.findings.length} findings`,
            ...result.findings.slice(0, 5),
            ...result.story,
          ].join('\n'),
        )
    }
    if (performance.now() - this.#shownMs < progressEveryMs) return
    this.#shownMs = performance.now()
    const of = Number.isFinite(this.#seeds) ? ` of ${this.#seeds}` : ''
    console.error(`${this.#done}${of} seeds, ${this.#rate} a second, ${this.failing} with findings`)
  }

  end(): void {
    const seconds = (performance.now() - this.#beganMs) / 1_000
    if (this.#isJson) {
      const { failing } = this
      const found = this.#failures
      const reached = { moves: this.#moves, states: this.#states, ...this.#totals }
      console.log(JSON.stringify({ seeds: this.#done, failing, seconds, reached, found }))
      return
    }
    console.log(`moves: ${listed(this.#moves)}`)
    console.log(`reached: ${listed(this.#states)}`)
    const { steps, locks, deadlocks, lockTimeouts } = this.#totals
    console.log(
      `${steps} steps, ${locks} waits for locks, ${deadlocks} deadlocks, ${lockTimeouts} lock timeouts`,
    )
    console.log(
      `${this.#done} seeds in ${seconds.toFixed(0)} s (${this.#rate} a second), ${this.failing} with findings`,
    )
  }

  get #rate(): string {
    return ((this.#done * 1_000) / (performance.now() - this.#beganMs)).toFixed(2)
  }
}

function addAll(totals: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) totals[name] = (totals[name] ?? 0) + count
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}
