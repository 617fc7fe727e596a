import type { Measurement } from './measurement.ts'

export interface BenchParts {
  /** The folder of server/package.json. */
  readonly server: string
  /** Decides everything random in the workload. */
  readonly seed: string
  /** Whether to run with smaller numbers, for everyday use. The targets stay the same. */
  readonly quick: boolean
  /** For the benchmark of verify: the share of its whole books to make, and the folder that keeps them. */
  readonly scale?: number
  readonly keep?: string
  note(line: string): void
}

/** Reports a figure as soon as it is known, so that a later failure does not lose it. */
export type Report = (measurement: Measurement) => void

export type Bench = (parts: BenchParts) => Promise<readonly Measurement[]>
