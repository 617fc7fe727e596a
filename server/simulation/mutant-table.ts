/**
 * The results of mutants, and which of them each seed can find. Each line is appended to a file as soon as it is known.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export interface Trial {
  readonly mutant: string
  /** The commit of the sources, with the suffix `-dirty` if they differ from it. */
  readonly commit: string
  /** The seed that found the mutant, or the last seed if none did. */
  readonly seeds: number
  /** Number of seeds that ran. The others do not run the code of the mutant, or were not needed. */
  readonly runs: number
  readonly seconds: number
  /** The first finding; null if the mutant survived. */
  readonly finding: string | null
}

/** The mutants whose code a seed runs. */
export interface Reach {
  readonly commit: string
  readonly seed: number
  /** Null if the seed finds something without a mutant, so that it shows nothing about mutants. */
  readonly mutants: readonly string[] | null
}

export class MutantTable {
  readonly #path: string | undefined
  readonly #commit: string
  readonly #known = new Map<string, Trial>()
  /** The mutants that a seed can find, by the number of the seed. Undefined if the seed shows nothing. */
  readonly #reach = new Map<number, ReadonlySet<string> | undefined>()

  /** @param path of a file with one result in each line; undefined if results are only printed */
  constructor(path: string | undefined, commit: string) {
    this.#path = path
    this.#commit = commit
    if (path === undefined || !existsSync(path)) return
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const row = JSON.parse(line) as Trial | Reach
      if (row.commit !== commit || commit.endsWith(dirty)) continue
      if ('mutants' in row) this.#setReach(row)
      else this.#known.set(row.mutant, row)
    }
  }

  /** Returns the known result of a mutant on this commit; undefined if the mutant has not run. */
  knownOf(mutant: string): Trial | undefined {
    return this.#known.get(mutant)
  }

  add(trial: Omit<Trial, 'commit'>): void {
    const whole = { ...trial, commit: this.#commit }
    this.#known.set(trial.mutant, whole)
    this.#append(whole)
  }

  /** Returns whether it is known which mutants a seed can find. */
  hasReach(seed: number): boolean {
    return this.#reach.has(seed)
  }

  /**
   * Chooses the seeds that can find a mutant, as far as it is known, and one that cannot. If that one finds something,
   * the coverage is wrong (`requireReached`).
   */
  seedsFor(mutant: string, seeds: readonly number[]): readonly number[] {
    const shows = seeds.filter((seed) => !this.#reach.has(seed) || this.#reach.get(seed) !== undefined)
    const control = shows.find((seed) => !this.#canFind(mutant, seed))
    return shows.filter((seed) => seed === control || this.#canFind(mutant, seed))
  }

  #canFind(mutant: string, seed: number): boolean {
    return this.#reach.get(seed)?.has(mutant) ?? true
  }

  /** @param reached names of the mutants whose code the seed runs; null if the seed finds something without a mutant */
  addReach(seed: number, reached: readonly string[] | null): void {
    const row = { commit: this.#commit, seed, mutants: reached }
    this.#setReach(row)
    this.#append(row)
  }

  #setReach({ seed, mutants }: Reach): void {
    this.#reach.set(seed, mutants === null ? undefined : new Set(mutants))
  }

  /** @throws Error if a seed found a mutant whose code it does not run, because the coverage is then wrong */
  requireReached(): void {
    for (const { mutant, seeds, finding } of this.#known.values())
      if (finding !== null && !this.#canFind(mutant, seeds))
        throw new Error(`seed ${seeds} found ${mutant}, but its coverage says that it does not run this code`)
  }

  #append(row: Trial | Reach): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(row)}\n`)
  }
}

export const dirty = '-dirty'

/** Returns a result as a line of the printed table. */
export function lineOf({ mutant, seeds, runs, seconds, finding }: Omit<Trial, 'commit'>): string {
  const result = finding === null ? 'SURVIVES' : `${oracleOf(finding).padEnd(12)} ${finding.slice(0, 100)}`
  const effort = `${String(seeds).padStart(5)} seeds ${String(runs).padStart(5)} runs ${seconds.toFixed(0).padStart(5)} s`
  return `${mutant.padEnd(44)} ${effort}  ${result}`
}

/** The oracles (checks of the simulation), each with the words that occur in its findings. */
const oracles: readonly (readonly [RegExp, string])[] = [
  [/^verify /, 'verify'],
  [
    /^merchant \d+: |^merchant \d+ (read|was told|has a webhook)|^a request to|^the delivery|^a merchant was|^two events/,
    'events',
  ],
  [/^the balance of|^the money held/, 'balances'],
  [/^order of|which nobody ordered|was paid .* and had only|nobody gave it$/, 'payments'],
  [/without an operator|an operator rejected it/, 'approvals'],
  [/^the request |^the key /, 'answers'],
  [/treasury withdrawal|^the operator withdraws/, 'treasury'],
  [/^an invoice for/, 'invoices'],
  [/^a payer was asked for/, 'quotes'],
  [/^an order of .* is still|is halted|are halted/, 'liveness'],
  [/was credited after/, 'confirmations'],
  [/cost|fee/, 'costs'],
  [/with other ids of the merchants/, 'permutation'],
]

/** Returns the oracle that reported a finding. */
export function oracleOf(finding: string): string {
  return oracles.find(([words]) => words.test(finding))?.[1] ?? 'errors'
}
