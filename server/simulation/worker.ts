/** Runs seeds for the main process, on the worker's own database. */
import { required } from '../src/core/assert.ts'
import { type DatabaseServer, openDatabaseServer } from './database-server.ts'
import { findUnfair, isPermuted } from './permutation.ts'
import { shrink } from './shrink.ts'
import { type Counts, runSeed } from './simulate.ts'
import { storyOf } from './story.ts'

export interface Task {
  readonly seed: number
  /** Whether to run the seed twice and to compare the traces. */
  readonly isRepeated: boolean
  /** Whether to shorten a run that finds an error. */
  readonly isReduced: boolean
}

export interface TaskResult {
  readonly seed: number
  readonly findings: readonly string[]
  /** The story of a failing seed. */
  readonly story: readonly string[]
  readonly counts: Counts
}

const shrinkTriesMax = 60

async function run(server: DatabaseServer, { seed, isRepeated, isReduced }: Task): Promise<TaskResult> {
  const first = await runSeed({ server, seed })
  const { counts } = first
  if (first.findings.length > 0) {
    const runWith = (moves: typeof first.moves) => runSeed({ server, seed, moves })
    const reported = isReduced ? await shrink(first, runWith, shrinkTriesMax) : first
    return { seed, counts, findings: first.findings, story: storyOf(reported, first.moves.length) }
  }
  if (isPermuted(seed)) {
    const findings = await findUnfair(server, seed)
    if (findings.length > 0) return { seed, counts, findings, story: [] }
  }
  if (!isRepeated) return { seed, counts, findings: [], story: [] }
  const second = await runSeed({ server, seed })
  const isSame = first.trace === second.trace
  return { seed, counts, story: [], findings: isSame ? [] : ['two runs of the seed have different traces'] }
}

const server = await openDatabaseServer(JSON.parse(required(process.argv[2], 'how to reach PostgreSQL')))
process.send?.('ready')
process.on('message', async (task: Task | 'end') => {
  if (task === 'end') {
    await server.close()
    process.disconnect()
    return
  }
  process.send?.(await run(server, task))
})
