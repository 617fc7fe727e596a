import type { Measurement } from './measurement.ts'

export interface BenchParts {
  /** The folder of server/package.json. */
  readonly server: string
  /** Decides everything random in the workload. */
  readonly seed: string
  /** Smaller numbers, for every day; the bars stay the same. */
  readonly quick: boolean
  /** Of the bench of verify: which part of its whole books is made, and the folder they are kept in. */
  readonly scale?: number
  readonly keep?: string
  note(line: string): void
}

/** Takes a figure as soon as it is known, so that what fails later takes nothing away. */
export type Tell = (measurement: Measurement) => void

export type Bench = (parts: BenchParts) => Promise<readonly Measurement[]>
