/** Tests that whatever happens while a seed is checked becomes a finding of that seed. */
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { brokenSeed, checkSeed, type SeedRunner } from '../../simulation/check-seed.ts'
import { compareOutcomes, isPermuted } from '../../simulation/permutation.ts'
import type { Counts, Run } from '../../simulation/simulate.ts'
import type { Task, TaskResult } from '../../simulation/task.ts'
import { type WorkParts, work, workTogether } from '../../simulation/work.ts'
import { required } from '../../src/core/assert.ts'

const seeds = Array.from({ length: 100 }, (_, seed) => seed)
const permutedSeed = required(seeds.find(isPermuted), 'a permuted seed')
const plainSeed = required(
  seeds.find((seed) => !isPermuted(seed)),
  'a seed that is not permuted',
)

const counts = (): Counts => ({
  steps: 1,
  locks: 0,
  deadlocks: 0,
  lockTimeouts: 0,
  permuted: 0,
  moves: {},
  states: {},
})

const runOf = (seed: number, changes: Partial<Run> = {}): Run => ({
  seed,
  moves: [],
  findings: [],
  story: [],
  trace: 'a',
  counts: counts(),
  ...changes,
})

const fine: SeedRunner = { run: async (seed) => runOf(seed), findUnfair: async () => [] }

const taskOf = (seed: number): Task => ({ seed, isRepeated: true, isReduced: true })

const breaks = async (): Promise<never> => {
  throw new Error('no free session')
}

it('a seed without a fault has no finding', async () => {
  for (const seed of [plainSeed, permutedSeed]) {
    const result = await checkSeed(fine, taskOf(seed))
    expect(result).toMatchObject({ seed, findings: [], isBroken: false })
  }
})

it.each<[string, number, Partial<SeedRunner>]>([
  ['the run throws', plainSeed, { run: breaks }],
  ['the run of permuted merchants throws', permutedSeed, { findUnfair: breaks }],
  [
    'a run that is to be reduced throws',
    plainSeed,
    {
      run: async (seed, moves) =>
        moves === undefined
          ? runOf(seed, { findings: ['a balance is wrong'], moves: [{ kind: 'reorganise', seed, steps: 1 }] })
          : breaks(),
    },
  ],
])('an error is a finding that names its seed: %s', async (_case, seed, changes) => {
  const result = await checkSeed({ ...fine, ...changes }, taskOf(seed))
  expect(result.findings).toEqual([
    expect.stringMatching(new RegExp(`^seed ${seed} broke the simulation: Error: no free session`)),
  ])
  expect(result.story.at(-1)).toBe(`Repeat it: npm run simulate -- --seed ${seed} --trace`)
  expect(result.isBroken).toBe(true)
})

it('a finding of more than one run comes with the command that repeats it', async () => {
  const unfair = await checkSeed({ ...fine, findUnfair: async () => ['unfair'] }, taskOf(permutedSeed))
  let runs = 0
  const run = async (seed: number) => {
    runs += 1
    return runOf(seed, { trace: String(runs) })
  }
  const unsteady = await checkSeed({ ...fine, run }, taskOf(plainSeed))
  expect(unfair.findings).toEqual(['unfair'])
  expect(unsteady.findings).toEqual(['two runs of the seed have different traces'])
  for (const { seed, story } of [unfair, unsteady])
    expect(story).toEqual([`Repeat it: npm run simulate -- --seed ${seed} --trace`])
})

describe('the command that repeats a seed', () => {
  const finds = async (seed: number) => runOf(seed, { findings: ['a balance is wrong'] })
  it.each<[string, string | undefined, string]>([
    ['names the fault that was planted', 'audited/gas-burned', ' --plant audited/gas-burned'],
    ['names no fault if none was planted', undefined, ''],
  ])('%s', async (_case, planted, words) => {
    const task: Task = { ...taskOf(permutedSeed), planted }
    const results = [
      await checkSeed({ ...fine, run: finds }, task),
      await checkSeed({ ...fine, run: finds }, { ...task, isReduced: false }),
      await checkSeed({ ...fine, findUnfair: async () => ['unfair'] }, task),
      await checkSeed({ ...fine, run: breaks }, task),
      brokenSeed(task, 'a worker ended with SIGKILL'),
    ]
    for (const { story } of results)
      expect(story.at(-1)).toBe(`Repeat it: npm run simulate -- --seed ${permutedSeed}${words} --trace`)
  })
})

/** A worker process that answers as `answer` says. `undefined` ends it in the middle of a seed. */
class FakeWorker extends EventEmitter {
  readonly #answer: (seed: number) => TaskResult | undefined

  constructor(answer: (seed: number) => TaskResult | undefined, isBorn = true) {
    super()
    this.#answer = answer
    setImmediate(() => (isBorn ? this.emit('message', 'ready') : this.emit('exit', 1, null)))
  }

  send(task: Task | 'end'): boolean {
    const result = task === 'end' ? undefined : this.#answer(task.seed)
    setImmediate(() => {
      if (result !== undefined) this.emit('message', result)
      if (result === undefined || result.isBroken) this.emit('exit', task === 'end' ? 0 : null, null)
    })
    return true
  }
}

it('a worker that ends in the middle of a seed is a finding, and another one goes on', async () => {
  const results: TaskResult[] = []
  let next = 0
  let workers = 0
  const answer = (seed: number): TaskResult | undefined =>
    seed === 2 ? undefined : { seed, findings: [], story: [], counts: counts(), isBroken: seed === 3 }
  await work({
    start: () => {
      workers += 1
      return new FakeWorker(answer)
    },
    nextTask: () => {
      next += 1
      return next <= 5 ? taskOf(next) : undefined
    },
    add: (result) => results.push(result),
  })
  expect(results.map(({ seed }) => seed)).toEqual([1, 2, 3, 4, 5])
  expect(workers).toBe(3)
  expect(results[1]?.findings).toEqual([expect.stringContaining('seed 2 broke the simulation')])
})

it('a worker that cannot start ends the run', async () => {
  const start = () => new FakeWorker(() => undefined, false)
  const nextTask = () => taskOf(1)
  await expect(work({ start, nextTask, add: () => {} })).rejects.toThrow('before its first seed')
})

it('the other workers end their seeds after one of them failed', async () => {
  const results: number[] = []
  let next = 0
  let started = 0
  const answer = (seed: number): TaskResult => ({
    seed,
    findings: [],
    story: [],
    counts: counts(),
    isBroken: false,
  })
  const parts: WorkParts = {
    start: () => {
      started += 1
      return new FakeWorker(answer, started === 1)
    },
    nextTask: () => {
      next += 1
      return taskOf(next)
    },
    add: ({ seed }) => results.push(seed),
  }
  const working = workTogether([parts, parts])
  await expect(working).rejects.toThrow('before its first seed')
  expect(results).toHaveLength(next)
  expect(next).toBe(1)
})

it('an order that only one of two runs has is a difference', () => {
  const one = ['merchant 1 has 5']
  const more = [...one, 'order 1 is completed']
  const words = (a: string, b: string) => `${a}, and with other ids of the merchants: ${b}`
  expect(compareOutcomes(more, more)).toEqual([])
  expect(compareOutcomes(more, one)).toEqual([words('order 1 is completed', 'nothing')])
  expect(compareOutcomes(one, more)).toEqual([words('nothing', 'order 1 is completed')])
})
