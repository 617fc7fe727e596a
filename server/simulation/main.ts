/**
 * The command line of the simulation. The main process starts PostgreSQL and distributes seeds to workers.
 * Each worker has its own database.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { required } from '../src/core/assert.ts'
import { type Cluster, openDatabaseServer, startCluster } from './database-server.ts'
import { findUnfair, isPermuted } from './permutation.ts'
import { Report } from './report.ts'
import { shrink } from './shrink.ts'
import { runSeed } from './simulate.ts'
import { storyOf } from './story.ts'
import type { Task, TaskResult } from './worker.ts'

const usage = `Usage: npm run simulate -- [options]

Plays Coffer against a simulated world, and compares what it says with a model. All chance comes from a seed.

  --seeds N      run N seeds (20 if neither --minutes nor --seed is given)
  --minutes M    run seeds for M minutes
  --from S       begin with seed S (default: 1)
  --seed S       run one seed and tell its story
  --trace        with --seed: print every step
  --mutants P    plant each fault of server/simulation/mutants whose name begins with P (all: ""), and run
                 seeds (200, or --seeds N) until it is found
  --workers N    worker processes (default: one a processor)
  --stop-at N    stop after N seeds with findings (default: 3)
  --once         run no seed twice to compare its traces
  --whole        do not reduce the run of a seed that finds something
  --json         print the result as JSON
`

const shrinkTriesMax = 120
/** Every tenth seed runs twice. It is an error if the two traces differ. */
const repeatedEvery = 10

/**
 * Runs the command and returns the exit code.
 * @param running the PostgreSQL server to use; by default a new one is started
 */
export async function main(words: readonly string[], running?: Cluster): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      workers: { type: 'string', default: String(availableParallelism()) },
      'stop-at': { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const started = running === undefined ? await startCluster() : undefined
  try {
    const cluster = required(running ?? started, 'a PostgreSQL server')
    if (values.seed !== undefined)
      return await replaySeed(cluster, numberOf('--seed', values.seed), values.trace)
    return await runSeeds(seedsOf(values, cluster))
  } finally {
    await started?.stop()
  }
}

interface SeedsValues {
  readonly seeds?: string
  readonly minutes?: string
  readonly from: string
  readonly workers: string
  readonly 'stop-at': string
  readonly json: boolean
  readonly once: boolean
  readonly whole: boolean
}

function seedsOf(values: SeedsValues, cluster: Cluster): SeedsParams {
  const minutes = values.minutes === undefined ? undefined : numberOf('--minutes', values.minutes)
  const seeds =
    values.seeds === undefined ? (minutes === undefined ? 20 : Infinity) : numberOf('--seeds', values.seeds)
  return {
    cluster,
    seeds,
    from: numberOf('--from', values.from),
    workers: numberOf('--workers', values.workers),
    stopAt: numberOf('--stop-at', values['stop-at']),
    endsAtMs: minutes === undefined ? Infinity : performance.now() + minutes * 60_000,
    isJson: values.json,
    isOnce: values.once,
    isWhole: values.whole,
  }
}

function numberOf(name: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new Error(`${name} must be a whole number of at least 1, not "${text}"`)
  return Number(text)
}

/** Runs one seed and prints its moves. If the run finds an error, shortens the run first. */
async function replaySeed(cluster: Cluster, seed: number, isTraced: boolean): Promise<number> {
  const server = await openDatabaseServer(cluster)
  try {
    const onTrace = isTraced ? (line: string) => console.log(line) : undefined
    const run = await runSeed({ server, seed, onTrace })
    if (run.findings.length === 0) {
      console.log(`${run.story.map((line, index) => `${index + 1}. ${line}`).join('\n')}`)
      console.log(`Nothing is wrong after ${run.moves.length} moves and ${run.counts.steps} steps.`)
      const unfair = isPermuted(seed) ? await findUnfair(server, seed) : []
      if (unfair.length > 0) console.log(unfair.join('\n'))
      return unfair.length === 0 ? 0 : 1
    }
    console.log(run.findings.join('\n'))
    const runWith = (moves: typeof run.moves) => runSeed({ server, seed, moves })
    const reduced = await shrink(run, runWith, shrinkTriesMax)
    console.log(storyOf(reduced, run.moves.length).join('\n'))
    return 1
  } finally {
    await server.close()
  }
}

interface SeedsParams {
  readonly cluster: Cluster
  readonly seeds: number
  readonly from: number
  readonly workers: number
  readonly stopAt: number
  readonly endsAtMs: number
  readonly isJson: boolean
  readonly isOnce: boolean
  readonly isWhole: boolean
}

/** Runs many seeds in workers. Returns the exit code: 1 if any run found an error. */
async function runSeeds(params: SeedsParams): Promise<number> {
  const { cluster, seeds, from, workers, stopAt, endsAtMs, isJson, isOnce, isWhole } = params
  const report = new Report(seeds, isJson)
  let next = 0
  const nextTask = (): Task | undefined => {
    if (next >= seeds || performance.now() > endsAtMs || report.failing >= stopAt) return undefined
    const seed = from + next
    next += 1
    return { seed, isRepeated: !isOnce && seed % repeatedEvery === 0, isReduced: !isWhole }
  }
  await Promise.all(Array.from({ length: Math.min(workers, seeds) }, () => work(cluster, nextTask, report)))
  report.end()
  return report.failing === 0 ? 0 : 1
}

/** Starts a worker and sends it tasks until `nextTask` returns none. */
function work(cluster: Cluster, nextTask: () => Task | undefined, report: Report): Promise<void> {
  const program = fileURLToPath(new URL('worker.js', import.meta.url))
  const worker = fork(program, [JSON.stringify(cluster)], { execArgv: [] })
  return new Promise((resolve, reject) => {
    const give = () => {
      const task = nextTask()
      worker.send(task ?? 'end')
    }
    worker.on('message', (result: TaskResult | 'ready') => {
      if (result !== 'ready') report.add(result)
      give()
    })
    worker.on('error', reject)
    worker.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`a worker of the simulation ended with ${code}`)),
    )
  })
}
