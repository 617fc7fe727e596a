/** Runs seeds for the main process, on a PostgreSQL server of its own. */
import { type DatabaseServer, startDatabaseServer } from './database-server.ts'
import { shrink } from './shrink.ts'
import { type Counts, runSeed } from './simulate.ts'
import { storyOf } from './story.ts'

export interface Task {
  readonly seed: number
  /** Whether the seed runs twice, to compare the traces. */
  readonly isRepeated: boolean
}

export interface TaskResult {
  readonly seed: number
  readonly findings: readonly string[]
  /** The reduced story of a failing seed. */
  readonly story: readonly string[]
  readonly counts: Counts
}

const shrinkTriesMax = 60

async function run(server: DatabaseServer, { seed, isRepeated }: Task): Promise<TaskResult> {
  const first = await runSeed({ server, seed })
  const { counts } = first
  if (first.findings.length > 0) {
    const reduced = await shrink(first, (moves) => runSeed({ server, seed, moves }), shrinkTriesMax)
    return { seed, counts, findings: first.findings, story: storyOf(reduced, first.moves.length) }
  }
  if (!isRepeated) return { seed, counts, findings: [], story: [] }
  const second = await runSeed({ server, seed })
  const isSame = first.trace === second.trace
  return { seed, counts, story: [], findings: isSame ? [] : ['two runs of the seed have different traces'] }
}

const server = await startDatabaseServer()
process.send?.('ready')
process.on('message', async (task: Task | 'end') => {
  if (task === 'end') {
    await server.stop()
    process.disconnect()
    return
  }
  process.send?.(await run(server, task))
})
