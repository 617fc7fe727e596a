/** Finds out which mutants each seed can find: those whose code it runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placesOf } from './mutant-places.ts'
import type { MutantTable } from './mutant-table.ts'
import { mutants } from './mutants/mutants.ts'
import type { TaskResult } from './task.ts'
import { type WorkerProcess, workTogether } from './work.ts'

export interface ReachParams {
  /** The folder with server/src. */
  readonly sources: string
  /** Starts of worker processes, which run compiled code without a mutant. */
  readonly starts: readonly (() => WorkerProcess)[]
  readonly table: MutantTable
  readonly seeds: readonly number[]
}

/**
 * Runs each seed once without a mutant, and adds the mutants whose code it runs to the table. Seeds that the table
 * already has are left out.
 */
export async function readReach({ sources, starts, table, seeds }: ReachParams): Promise<void> {
  const waiting = seeds.filter((seed) => !table.hasReach(seed))
  if (waiting.length === 0) return
  const readSource = (file: string) => readFileSync(join(sources, file), 'utf8')
  const places = mutants.flatMap((mutant) => placesOf(mutant, readSource))
  const nextTask = () => {
    const seed = waiting.shift()
    return seed === undefined ? undefined : { seed, isRepeated: false, isReduced: false, places }
  }
  const add = ({ seed, ran, findings: [first], isBroken }: TaskResult) => {
    if (isBroken || ran === undefined) return
    if (first !== undefined)
      console.log(`seed ${seed} is left out, because it finds without a mutant: ${first}`)
    table.addReach(seed, first === undefined ? ran : null)
  }
  console.log(`Running ${waiting.length} seeds without a mutant, to know which code each of them runs`)
  await workTogether(starts.map((start) => ({ start, nextTask, add })))
}
