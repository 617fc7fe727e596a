/** What a worker is asked to do with one seed, and what it answers. */
import type { Place } from './mutant-places.ts'
import type { Counts } from './simulate.ts'

export interface Task {
  readonly seed: number
  /** Whether the seed runs twice, to compare the traces. */
  readonly isRepeated: boolean
  /** Whether a run that finds something is reduced. */
  readonly isReduced: boolean
  /** The name of the mutant in the code that runs; undefined if there is none. */
  readonly planted?: string | undefined
  /** The code of mutants. The worker reports the mutants whose code ran. Undefined if no coverage is measured. */
  readonly places?: readonly Place[] | undefined
}

export interface TaskResult {
  readonly seed: number
  readonly findings: readonly string[]
  /** The story of a failing seed. Its last line is the command that repeats it. */
  readonly story: readonly string[]
  readonly counts: Counts
  /** Whether the simulation itself failed. What it left in its database may be wrong. */
  readonly isBroken: boolean
  /** The names of the mutants whose code ran; undefined if the task has no places. */
  readonly ran?: readonly string[] | undefined
}
