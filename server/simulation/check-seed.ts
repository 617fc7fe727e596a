/** Everything that is done with one seed: its run, the run of its permuted merchants, and its repetition. */
import type { DatabaseServer } from './database-server.ts'
import type { Move } from './moves.ts'
import { findUnfair, isPermuted } from './permutation.ts'
import { shrink } from './shrink.ts'
import { type Counts, type Run, runSeed } from './simulate.ts'
import { commandOf, storyOf } from './story.ts'
import type { Task, TaskResult } from './task.ts'

/** Runs a seed with its own moves, or with some of them. */
export type RunMoves = (seed: number, moves?: readonly Move[]) => Promise<Run>

/** What a check does with a seed. */
export interface SeedRunner {
  readonly run: RunMoves
  readonly findUnfair: (seed: number) => Promise<readonly string[]>
}

const shrinkTriesMax = 60

export function seedRunnerOn(server: DatabaseServer, onTrace?: (line: string) => void): SeedRunner {
  return {
    run: (seed, moves) => runSeed({ server, seed, moves, onTrace }),
    findUnfair: (seed) => findUnfair(server, seed),
  }
}

/** Checks a seed. The promise never rejects: an error is a finding of the seed. */
export async function checkSeed(runner: SeedRunner, task: Task): Promise<TaskResult> {
  const { seed, isReduced } = task
  const progress: Progress = { counts: noCounts() }
  try {
    const { findings, failing } = await findFaults(runner, task, progress)
    const moves =
      failing === undefined
        ? []
        : storyOf(isReduced ? await reduce(runner, failing) : failing, failing.moves.length)
    const story = findings.length === 0 ? [] : [...moves, commandOf(task)]
    return { seed, counts: progress.counts, findings, story, isBroken: false }
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const findings = [`seed ${seed} broke the simulation: ${what}`]
    return { seed, counts: progress.counts, findings, story: [commandOf(task)], isBroken: true }
  }
}

/** Returns the result of a seed whose worker ended without an answer. */
export function brokenSeed(task: Task, why: string): TaskResult {
  const { seed } = task
  const findings = [`seed ${seed} broke the simulation: ${why}`]
  return { seed, counts: noCounts(), findings, story: [commandOf(task)], isBroken: true }
}

interface Progress {
  /** What happened in the first run. */
  counts: Counts
}

interface Found {
  readonly findings: readonly string[]
  /** The run that found it; undefined if it takes more than one run to find. */
  readonly failing: Run | undefined
}

async function findFaults(
  runner: SeedRunner,
  { seed, isRepeated }: Task,
  progress: Progress,
): Promise<Found> {
  const first = await runner.run(seed)
  progress.counts = first.counts
  if (first.findings.length > 0) return { findings: first.findings, failing: first }
  if (isPermuted(seed)) {
    first.counts.permuted += 1
    const findings = await runner.findUnfair(seed)
    if (findings.length > 0) return { findings, failing: undefined }
  }
  if (!isRepeated) return { findings: [], failing: undefined }
  const second = await runner.run(seed)
  const isSame = first.trace === second.trace
  const findings = isSame ? [] : ['two runs of the seed have different traces']
  return { findings, failing: undefined }
}

function reduce({ run }: SeedRunner, failing: Run): Promise<Run> {
  return shrink(failing, (moves) => run(failing.seed, moves), shrinkTriesMax)
}

function noCounts(): Counts {
  return { steps: 0, locks: 0, deadlocks: 0, lockTimeouts: 0, permuted: 0, moves: {}, states: {} }
}
