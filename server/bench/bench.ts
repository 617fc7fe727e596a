import type { Measurement } from './measurement.ts'

export interface BenchParts {
  /** The folder of server/package.json. */
  readonly server: string
  /** Seed of all random values of the workload. */
  readonly seed: string
  /** Whether to use smaller numbers, for everyday use. The targets are the same. */
  readonly quick: boolean
  /**
   * The options of the benchmark of `verify`: the share of its full-size books to generate, and the folder in
   * which to keep the books.
   */
  readonly scale?: number
  readonly keep?: string
  note(line: string): void
}

/** Reports a measurement immediately, so that a later failure does not lose it. */
export type Report = (measurement: Measurement) => void

export type Bench = (parts: BenchParts) => Promise<readonly Measurement[]>
