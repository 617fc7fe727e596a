/** The results of mutants. Each result is appended to a file as soon as it is known. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export interface Trial {
  readonly mutant: string
  /** The commit of the sources, with the suffix `-dirty` if they differ from it. */
  readonly commit: string
  /** Number of seeds that ran, the one that found the mutant included. */
  readonly seeds: number
  readonly seconds: number
  /** The first finding; null if the mutant survived. */
  readonly finding: string | null
}

export class MutantTable {
  readonly #path: string | undefined
  readonly #commit: string
  readonly #known = new Map<string, Trial>()

  /** @param path of a file with one result in each line; undefined if results are only printed */
  constructor(path: string | undefined, commit: string) {
    this.#path = path
    this.#commit = commit
    if (path === undefined || !existsSync(path)) return
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const trial = JSON.parse(line) as Trial
      if (trial.commit === commit && !commit.endsWith(dirty)) this.#known.set(trial.mutant, trial)
    }
  }

  /** Returns the known result of a mutant on this commit; undefined if the mutant has not run. */
  knownOf(mutant: string): Trial | undefined {
    return this.#known.get(mutant)
  }

  add(trial: Omit<Trial, 'commit'>): void {
    const whole = { ...trial, commit: this.#commit }
    this.#known.set(trial.mutant, whole)
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(whole)}\n`)
  }
}

export const dirty = '-dirty'

/** Returns a result as a line of the printed table. */
export function lineOf({ mutant, seeds, seconds, finding }: Omit<Trial, 'commit'>): string {
  const result = finding === null ? 'SURVIVES' : `${oracleOf(finding).padEnd(12)} ${finding.slice(0, 100)}`
  return `${mutant.padEnd(44)} ${String(seeds).padStart(5)} seeds ${seconds.toFixed(0).padStart(5)} s  ${result}`
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
