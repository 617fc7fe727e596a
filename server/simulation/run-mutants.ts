/** Plants one mutant after the other, and counts the seeds until each is found. */
import { execFileSync, fork } from 'node:child_process'
import { cpSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Cluster, withCluster, workersMax } from './database-server.ts'
import type { Mutant } from './mutant.ts'
import { dirty, lineOf, MutantTable } from './mutant-table.ts'
import { mutants } from './mutants/mutants.ts'
import { numberOf, workersOf } from './numbers.ts'
import { plant } from './plant.ts'
import type { TaskResult } from './task.ts'
import { work } from './work.ts'

interface Folders {
  /** The folder `server`, with the sources. */
  readonly server: string
  /** The compiled `src` and `simulation`. */
  readonly compiled: string
}

/**
 * Plants each mutant whose name begins with one of the given words, and runs seeds until one finds it. Each worker has
 * its own mutant and its own copy of the code. All workers share one PostgreSQL server.
 * @returns the exit code: 1 if a mutant survived
 */
export async function runMutants(folders: Folders, words: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: words.map((word, index) => (isAlone(word, words[index + 1]) ? '--mutants=' : word)),
    options: {
      mutants: { type: 'string', default: '' },
      seeds: { type: 'string', default: '200' },
      workers: { type: 'string', default: String(Math.min(availableParallelism(), workersMax)) },
      table: { type: 'string' },
    },
  })
  const chosen = mutants.filter(({ name }) => values.mutants.split(',').some((some) => name.startsWith(some)))
  const seeds = numberOf('--seeds', values.seeds)
  const workerCount = workersOf(values.workers, workersMax)
  const table = new MutantTable(values.table, commitOf(folders.server))
  const waiting = chosen.filter(({ name }) => isToTry(table, name, seeds))
  await withCluster(async (cluster) => {
    const workers = Array.from({ length: Math.min(workerCount, waiting.length) }, (_, worker) =>
      tryEach(copyFor(folders, worker), { cluster, table, waiting, seeds }),
    )
    await Promise.all(workers)
  })
  const survivors = chosen.filter(({ name }) => (table.knownOf(name)?.finding ?? null) === null)
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutants found`)
  for (const { name } of survivors) console.log(`${name} survives`)
  return survivors.length === 0 ? 0 : 1
}

/** Returns whether the option has no value, so that all mutants are meant. */
function isAlone(word: string, next: string | undefined): boolean {
  return word === '--mutants' && (next === undefined || next.startsWith('--'))
}

/** Returns whether a mutant must run: it has no result yet, or it survived fewer seeds than are required now. */
function isToTry(table: MutantTable, name: string, seeds: number): boolean {
  const known = table.knownOf(name)
  return known === undefined || (known.finding === null && known.seeds < seeds)
}

function commitOf(server: string): string {
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: server, encoding: 'utf8' }).trim()
  const changes = git('status', '--porcelain', '--', '.')
  return `${git('rev-parse', 'HEAD')}${changes === '' ? '' : dirty}`
}

function copyFor({ server, compiled }: Folders, worker: number): Folders {
  const copy = join(compiled, `worker-${worker}`)
  for (const part of ['src', 'simulation', 'package.json'])
    cpSync(join(compiled, part), join(copy, part), { recursive: true })
  return { server, compiled: copy }
}

interface Trials {
  readonly cluster: Cluster
  readonly table: MutantTable
  /** The mutants that no worker has begun. */
  readonly waiting: Mutant[]
  readonly seeds: number
}

/** Tries waiting mutants one after the other. */
async function tryEach(folders: Folders, { cluster, table, waiting, seeds }: Trials): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const known = table.knownOf(mutant.name)
    const begunMs = performance.now()
    const tried = await tryMutant({ folders, cluster, mutant, from: (known?.seeds ?? 0) + 1, to: seeds })
    const seconds = (known?.seconds ?? 0) + (performance.now() - begunMs) / 1_000
    const trial = { mutant: mutant.name, ...tried, seconds: Math.round(seconds) }
    table.add(trial)
    console.log(lineOf(trial))
  }
}

interface TryParams {
  readonly folders: Folders
  readonly cluster: Cluster
  readonly mutant: Mutant
  /** The first seed. */
  readonly from: number
  /** The last seed. */
  readonly to: number
}

/** Runs seeds with a mutant until the first finding. */
async function tryMutant({ folders, cluster, mutant, from, to }: TryParams) {
  const { server, compiled } = folders
  const remove = plant({ sources: join(server, 'src'), compiled: join(compiled, 'src') }, mutant)
  const program = join(compiled, 'simulation', 'worker.js')
  const { superuserUrl, appUrl } = cluster
  let next = from
  let last = from - 1
  let finding: string | null = null
  const nextTask = () => {
    if (finding !== null || next > to) return undefined
    const task = { seed: next, isRepeated: false, isReduced: false }
    next += 1
    return task
  }
  const add = ({ seed, findings: [first], isBroken }: TaskResult) => {
    last = seed
    // If the simulation itself failed, for example because memory was short, the mutant was not found.
    if (!isBroken) finding ??= first?.split('\n')[0] ?? null
  }
  try {
    const start = () => fork(program, [JSON.stringify({ superuserUrl, appUrl })], { execArgv: [] })
    await work({ start, nextTask, add })
  } finally {
    remove()
  }
  return { seeds: last, finding }
}
