import { figure } from './measurement.ts'
import type { Load, Workload } from './open-load.ts'
import { readCpu } from './read-cpu.ts'

export interface MostAnswersParts {
  readonly load: Load
  /** Process id of the API. */
  readonly pid: number
  /** Name of the database. */
  readonly name: string
}

/**
 * Measures the highest rate of answers and the CPU time of each answer. First warms up for a third of
 * `durationMs`.
 */
export async function mostAnswers(
  { load, pid, name }: MostAnswersParts,
  workload: Workload,
  durationMs: number,
): Promise<{ readonly perSecond: number; readonly cpu: string }> {
  await load.saturate(workload, durationMs / 3)
  const before = readCpu(pid, name)
  const perSecond = await load.saturate(workload, durationMs)
  const after = readCpu(pid, name)
  const answers = (perSecond * durationMs) / 1000
  const apiMs = (after.apiMs - before.apiMs) / answers
  const databaseMs = (after.databaseMs - before.databaseMs) / answers
  return {
    perSecond,
    cpu: `CPU time per request: API ${figure(apiMs)} ms, PostgreSQL ${figure(databaseMs)} ms`,
  }
}
