/** Tests the scheduler of the simulation on a real PostgreSQL: locks, deadlocks, timeouts and kills. */
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { Dice } from '../../simulation/dice.ts'
import { ParkedDatabase } from '../../simulation/ports/parked-database.ts'
import { SessionPool } from '../../simulation/ports/sessions.ts'
import { SimulatedTime } from '../../simulation/ports/simulated-time.ts'
import { Life } from '../../simulation/scheduler/life.ts'
import { Scheduler } from '../../simulation/scheduler/scheduler.ts'
import { replaceTime, systemClock } from '../../src/core/clock.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { testMacs } from '../support/books-macs.ts'
import { useDatabase } from '../support/database.ts'
import { createPair, raise, readPair } from '../support/records/pair.ts'

const database = useDatabase({ migrated: false })
const lockTimeoutMs = 2_000

beforeEach(() => createPair(database))

/** Opens two processes under one scheduler. The seed determines the scheduler's choices. */
async function openTwo(seed: number, stepsMax?: number) {
  const trace: string[] = []
  const time = new SimulatedTime(0)
  const sessions = await SessionPool.open(database.urls.app, database.urls.superuser, {
    sessions: 4,
    spare: 2,
  })
  onTestFinished(() => sessions.close())
  onTestFinished(replaceTime(time))
  const scheduler = new Scheduler({
    dice: new Dice(seed),
    sessions,
    nowMs: () => time.monotonicMs(),
    hasTimers: () => time.nextInMs !== undefined,
    lockTimeoutMs,
    onStep: (line) => trace.push(line),
    stepsMax,
  })
  time.continuing = (onEnd) => scheduler.continuing(onEnd)
  const processOf = (name: string) => {
    const life = new Life(name, 1)
    const own = new ParkedDatabase({ scheduler, sessions, time, life, macs: testMacs })
    return { life, own, db: own.db }
  }
  return { trace, time, sessions, scheduler, a: processOf('a'), b: processOf('b') }
}

type Two = Awaited<ReturnType<typeof openTwo>>

/**
 * Starts a transaction in each process that increments the named numbers in the given order. The returned
 * list receives the outcome of each transaction.
 */
async function startBoth({ scheduler, a, b }: Two, orders: readonly (readonly string[])[]) {
  const ended: string[] = []
  for (const [index, process] of [a, b].entries()) {
    await scheduler.start(process.life, 'raise', () =>
      inTransaction(process.db, async (tx) => {
        for (const name of orders[index] ?? []) await raise(tx, name)
      }).then(
        () => void ended.push(`${process.life.name} committed`),
        (error: Error) => void ended.push(`${process.life.name}: ${error.message}`),
      ),
    )
  }
  return ended
}

async function runToEnd({ scheduler, time }: Two) {
  while (scheduler.underWay > 0)
    if (!(await scheduler.advance())) {
      await time.pass(time.nextInMs ?? 0)
      await scheduler.rest()
    }
}

it('lets others continue while a statement waits for a lock', async () => {
  const two = await openTwo(2)
  const { scheduler, trace, a, b } = two
  const ended = await startBoth(two, [['x', 'y'], ['x']])
  b.life.pausedMoves = 1
  while (!trace.some((line) => line.startsWith('a#1 update'))) await scheduler.advance()
  b.life.pausedMoves = 0
  a.life.pausedMoves = 1
  while (await scheduler.advance());
  expect(trace.at(-1)).toBe('b#1 waits for a lock')
  a.life.pausedMoves = 0
  await runToEnd(two)
  expect(ended.sort()).toEqual(['a committed', 'b committed'])
  expect(two.scheduler.locks).toBe(1)
  expect(await readPair(database.db)).toEqual({ x: 2, y: 1 })
})

it('chooses the victim of a deadlock by its dice, and the victim tries again', async () => {
  const victims = new Set<string>()
  for (let seed = 1; seed <= 12; seed += 1) {
    const two = await openTwo(seed)
    const ended = await startBoth(two, [
      ['x', 'y'],
      ['y', 'x'],
    ])
    await runToEnd(two)
    expect(ended.sort()).toEqual(['a committed', 'b committed'])
    if (two.scheduler.deadlocks > 0) victims.add(two.trace.find((line) => /rollback/.test(line)) ?? '')
  }
  expect([...victims].sort()).toEqual(['a#1 rollback', 'b#1 rollback'])
})

it('ends a wait for a lock when the lock timeout has passed in simulated time', async () => {
  const two = await openTwo(3)
  const { scheduler, time, a } = two
  const ended = await startBoth(two, [['x'], ['x']])
  while (scheduler.locks === 0) await scheduler.advance()
  const waiting = two.trace.at(-1)?.startsWith('a') ? 'a' : 'b'
  ;(waiting === 'a' ? two.b : a).life.pausedMoves = 1
  await time.pass(lockTimeoutMs)
  await scheduler.endLockTimeouts()
  while (ended.length === 0) await scheduler.advance()
  expect(ended).toEqual([`${waiting}: canceling statement due to lock timeout`])
  a.life.pausedMoves = 0
  two.b.life.pausedMoves = 0
  await runToEnd(two)
})

it('rolls back uncommitted work of a killed process, and runs nothing more of it', async () => {
  const two = await openTwo(4)
  const { scheduler, a } = two
  const ended = await startBoth(two, [['x', 'y'], []])
  while (!two.trace.some((line) => line.startsWith('a#1 update'))) await scheduler.advance()
  await scheduler.kill(a.life)
  await a.own.end()
  await runToEnd(two)
  expect(ended).toEqual(['b committed'])
  expect(await readPair(database.db)).toEqual({ x: 0, y: 0 })
})

it('opens more sessions while much work uses sessions at the same time', async () => {
  const two = await openTwo(6)
  const { scheduler, a } = two
  const ended: string[] = []
  for (let count = 1; count <= 30; count += 1)
    await scheduler.start(a.life, `read ${count}`, () =>
      readPair(a.db).then(
        () => void ended.push('read'),
        (error: Error) => void ended.push(error.message),
      ),
    )
  await runToEnd(two)
  expect(ended).toEqual(Array(30).fill('read'))
})

it('waits until work that a timer woke has parked again', async () => {
  const { scheduler, time, a } = await openTwo(5)
  await scheduler.start(a.life, 'sleep', async () => {
    await systemClock.sleep(10)
    for (let turns = 0; turns < 20; turns += 1) await setImmediate()
    await scheduler.step({ life: a.life, label: 'awake', run: async () => {} })
  })
  await time.pass(10)
  expect(scheduler.runnable).toBe(1)
})

it('ends a run whose work never ends', async () => {
  const { scheduler, a } = await openTwo(1, 50)
  await scheduler.start(a.life, 'endless', async () => {
    for (;;) await readPair(a.db)
  })
  const run = async () => {
    while (scheduler.underWay > 0) await scheduler.advance()
  }
  await expect(run()).rejects.toThrow('the run does not end: it has had 50 steps')
})

it('repeats a trace from its seed', async () => {
  const traces: string[][] = []
  for (const seed of [7, 7, 8]) {
    const two = await openTwo(seed)
    await startBoth(two, [
      ['x', 'y', 'x'],
      ['y', 'x', 'y'],
    ])
    await runToEnd(two)
    traces.push(two.trace)
  }
  expect(traces[1]).toEqual(traces[0])
  expect(traces[2]).not.toEqual(traces[0])
})

it('a session that served a purpose before serves it again', async () => {
  const { sessions } = await openTwo(1)
  const first = sessions.take('one')
  const second = sessions.take('other')
  await sessions.giveBack(first)
  await sessions.giveBack(second)
  expect(sessions.take('one')).toBe(first)
  expect(sessions.take('one')).toBe(second)
})

it('a session that is given back forgets what it has not sent', async () => {
  const { sessions } = await openTwo(1)
  const session = sessions.take('work')
  session.unsent.push('left over')
  await sessions.giveBack(session)
  expect(sessions.take('work')).toBe(session)
  expect(session.unsent).toEqual([])
})

it('a session that is given back still sends the commit of a transaction that only read', async () => {
  const { sessions } = await openTwo(1)
  const session = sessions.take('work')
  session.unsent.push('commit', 'left over')
  await sessions.giveBack(session)
  expect(sessions.take('work')).toBe(session)
  expect(session.unsent).toEqual(['commit'])
})
