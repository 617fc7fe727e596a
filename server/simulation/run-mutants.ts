/** Plants one mutant after the other, and counts the seeds until each is found. */
import { execFileSync, fork } from 'node:child_process'
import { cpSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { required } from '../src/core/assert.ts'
import { type Cluster, withCluster, workersMax } from './database-server.ts'
import { drawFeatures } from './features.ts'
import type { Mutant } from './mutant.ts'
import { readReach } from './mutant-reach.ts'
import { dirty, lineOf, MutantTable } from './mutant-table.ts'
import { canShow } from './mutants/can-show.ts'
import { mutants } from './mutants/mutants.ts'
import { numberOf, workersOf } from './numbers.ts'
import { plant } from './plant.ts'
import type { TaskResult } from './task.ts'
import { type WorkerProcess, work } from './work.ts'

interface Folders {
  /** The folder `server`, with the sources. */
  readonly server: string
  /** The compiled `src` and `simulation`. */
  readonly compiled: string
}

/** If at least this many mutants wait, each seed first runs once without a mutant, which shows what it can find. */
const reachFrom = 5

/**
 * Plants each mutant whose name begins with one of the given words, and runs seeds until one finds it. Each worker has
 * its own mutant and its own copy of the code. All workers share one PostgreSQL server.
 *
 * A seed that does not run the code of a mutant does the same as without the mutant, and cannot find it. So each seed
 * first runs without a mutant, and then only with the mutants whose code it runs. One other seed for each mutant checks
 * that this is true. Seeds with the features that a mutant needs run first.
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
  await withCluster(async (cluster) => {
    const copies = Array.from({ length: workerCount }, (_, worker) => copyFor(folders, worker))
    const waiting = chosen.filter(({ name }) => isToTry(table, name, seeds))
    if (waiting.length >= reachFrom) {
      const starts = copies.map((copy) => startIn(copy, cluster))
      await readReach({
        sources: join(folders.server, 'src'),
        starts,
        table,
        seeds: numbersBetween(1, seeds),
      })
    }
    await Promise.all(copies.map((copy) => tryEach(copy, { cluster, table, waiting, seeds })))
  })
  table.requireReached()
  const survivors = chosen
    .map(({ name }) => required(table.knownOf(name), 'a result for each mutant'))
    .filter(({ finding }) => finding === null)
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutants found`)
  for (const { mutant } of survivors) console.log(`${mutant} survives`)
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
    const from = (known?.seeds ?? 0) + 1
    const open = likelyFirst(mutant, table.seedsFor(mutant.name, numbersBetween(from, seeds)))
    const { runs, finding, last } = await tryMutant({ folders, cluster, mutant, seeds: open })
    const seconds = (known?.seconds ?? 0) + (performance.now() - begunMs) / 1_000
    const trial = {
      mutant: mutant.name,
      seeds: finding === null ? seeds : last,
      runs: (known?.runs ?? 0) + runs,
      seconds: Math.round(seconds),
      finding,
    }
    table.add(trial)
    console.log(lineOf(trial))
  }
}

/** Returns the seeds. Those that have the features which the mutant needs come first. */
function likelyFirst(mutant: Mutant, seeds: readonly number[]): readonly number[] {
  const likely = new Set(seeds.filter((seed) => canShow(mutant.name, drawFeatures(seed))))
  return [...likely, ...seeds.filter((seed) => !likely.has(seed))]
}

function numbersBetween(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

interface TryParams {
  readonly folders: Folders
  readonly cluster: Cluster
  readonly mutant: Mutant
  readonly seeds: readonly number[]
}

interface Tried {
  /** Number of seeds that ran. */
  readonly runs: number
  /** The last seed that ran; 0 if none did. */
  readonly last: number
  readonly finding: string | null
}

/** Runs seeds with a mutant until the first finding. */
async function tryMutant({ folders, cluster, mutant, seeds }: TryParams): Promise<Tried> {
  const { server, compiled } = folders
  const remove = plant({ sources: join(server, 'src'), compiled: join(compiled, 'src') }, mutant)
  let runs = 0
  let last = 0
  let finding: string | null = null
  const nextTask = () => {
    const seed = seeds[runs]
    if (finding !== null || seed === undefined) return undefined
    runs += 1
    return { seed, isRepeated: false, isReduced: false }
  }
  const add = ({ seed, findings: [first], isBroken }: TaskResult) => {
    last = seed
    // If the simulation itself failed, for example because memory was short, the mutant was not found.
    if (!isBroken) finding ??= first?.split('\n')[0] ?? null
  }
  try {
    await work({ start: startIn(folders, cluster), nextTask, add })
  } finally {
    remove()
  }
  return { runs, last, finding }
}

/** Returns a function that starts a worker process of a copy of the code. */
function startIn({ compiled }: Folders, { superuserUrl, appUrl }: Cluster): () => WorkerProcess {
  const program = join(compiled, 'simulation', 'worker.js')
  return () => fork(program, [JSON.stringify({ superuserUrl, appUrl })], { execArgv: [] })
}
