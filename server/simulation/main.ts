/**
 * The command line of the simulation. The main process starts PostgreSQL and distributes seeds to workers.
 * Each worker has its own database.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { required } from '../src/core/assert.ts'
import { checkSeed, type SeedRunner, seedRunnerOn } from './check-seed.ts'
import { type Cluster, openDatabaseServer, withCluster, workersMax } from './database-server.ts'
import { numberOf, workersOf } from './numbers.ts'
import { Report } from './report.ts'
import { type Run, runSeed } from './simulate.ts'
import type { Task, TaskResult } from './task.ts'
import { workTogether } from './work.ts'

const usage = `Usage: npm run simulate -- [options]

Plays Coffer against a simulated world, and compares what it says with a model. All chance comes from a seed.

  --seeds N      run N seeds (20 if neither --minutes nor --seed is given)
  --minutes M    run seeds for M minutes
  --from S       begin with seed S (default: 1)
  --seed S       run one seed and tell its story
  --trace        with --seed: print every step
  --plant M      plant the mutant M, and reduce and tell what it does
  --mutants P    plant each fault of server/simulation/mutants whose name begins with P (all: ""; several
                 with commas), and run seeds (200, or --seeds N) until it is found; each worker has one
  --table FILE   with --mutants: append each result to FILE as soon as it is known, and do not repeat what
                 FILE says of the same commit; more --seeds continue with those that survived
  --workers N    worker processes (default: one a processor)
  --stop-at N    stop after N seeds with findings (default: 3)
  --once         run no seed twice to compare its traces
  --whole        do not reduce the run of a seed that finds something
  --json         print the result as JSON
`

/** Every tenth seed runs twice. It is an error if the two traces differ. */
const repeatedEvery = 10

/** Runs the command and returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      workers: { type: 'string', default: String(Math.min(availableParallelism(), workersMax)) },
      'stop-at': { type: 'string', default: '3' },
      plant: { type: 'string' },
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
  return withCluster((cluster) =>
    values.seed === undefined
      ? runSeeds(seedsOf(values, cluster))
      : replaySeed({
          cluster,
          seed: numberOf('--seed', values.seed),
          isTraced: values.trace,
          isOnce: values.once,
          isWhole: values.whole,
          planted: values.plant,
        }),
  )
}

interface SeedsValues {
  readonly seeds?: string
  readonly minutes?: string
  readonly from: string
  readonly workers: string
  readonly 'stop-at': string
  readonly plant?: string
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
    workers: workersOf(values.workers, workersMax),
    stopAt: numberOf('--stop-at', values['stop-at']),
    endsAtMs: minutes === undefined ? Infinity : performance.now() + minutes * 60_000,
    isJson: values.json,
    isOnce: values.once,
    isWhole: values.whole,
    planted: values.plant,
  }
}

interface ReplayParams {
  readonly cluster: Cluster
  readonly seed: number
  readonly isTraced: boolean
  readonly isOnce: boolean
  readonly isWhole: boolean
  /** The name of the mutant in the code that runs. */
  readonly planted: string | undefined
}

/** Checks one seed and prints its moves. If an error is found, the run is shortened first. */
async function replaySeed({
  cluster,
  seed,
  isTraced,
  isOnce,
  isWhole,
  planted,
}: ReplayParams): Promise<number> {
  const server = await openDatabaseServer(cluster)
  const print = (line: string) => console.log(line)
  let first: Run | undefined
  const runner: SeedRunner = {
    ...seedRunnerOn(server),
    run: async (_, moves) => {
      const onTrace = isTraced && first === undefined ? print : undefined
      const run = await runSeed({ server, seed, moves, onTrace })
      first ??= run
      return run
    },
  }
  try {
    const { findings, story } = await checkSeed(runner, {
      seed,
      isRepeated: !isOnce,
      isReduced: !isWhole,
      planted,
    })
    if (findings.length > 0) {
      console.log([...findings, ...story].join('\n'))
      return 1
    }
    const passed = required(first, 'a run of the seed')
    console.log(passed.story.map((line, index) => `${index + 1}. ${line}`).join('\n'))
    console.log(`Nothing is wrong after ${passed.moves.length} moves and ${passed.counts.steps} steps.`)
    return 0
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
  /** The name of the mutant in the code that runs. */
  readonly planted: string | undefined
}

/** Runs many seeds in workers. Returns the exit code: 1 if any run found an error. */
async function runSeeds(params: SeedsParams): Promise<number> {
  const { cluster, seeds, from, workers, stopAt, endsAtMs, isJson, isOnce, isWhole, planted } = params
  const report = new Report(seeds, isJson)
  let next = 0
  const nextTask = (): Task | undefined => {
    if (next >= seeds || performance.now() > endsAtMs || report.failing >= stopAt) return undefined
    const seed = from + next
    next += 1
    return { seed, isRepeated: !isOnce && seed % repeatedEvery === 0, isReduced: !isWhole, planted }
  }
  const program = fileURLToPath(new URL('worker.js', import.meta.url))
  const start = () => fork(program, [JSON.stringify(cluster)], { execArgv: [] })
  const add = (result: TaskResult) => report.add(result)
  const parts = { start, nextTask, add }
  await workTogether(Array.from({ length: Math.min(workers, seeds) }, () => parts))
  report.end()
  return report.failing === 0 ? 0 : 1
}
