/**
 * Tests a database server that loses its power or its connection: it neither answers nor closes the
 * connection.
 */
import sql from 'sql-template-tag'
import { expect, it, onTestFinished, vi } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { problemOf } from '../../src/platform/http/problems.ts'
import { useDatabase } from '../support/database.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { holdTimers } from '../support/hold-timers.ts'

const database = useDatabase()
const usualMs = limits.statementTimeoutMs + limits.answerGraceMs

it('closes a connection without an answer after seconds, but not during a statement that may take longer', async () => {
  expect(usualMs).toBeLessThanOrEqual(10_000)
  const timers = holdTimers((ms) => ms >= 1_000)
  let silentFrom = Number.POSITIVE_INFINITY
  const fire = async (ms: number) => {
    const timer = await vi.waitUntil(() => timers.slice(silentFrom).find((one) => one.ms === ms), {
      timeout: 20_000,
    })
    timer.fire()
  }
  const { url, at } = await openProxiedPool()
  const db = openDb({ url, connections: 3, log: silentLog })
  onTestFinished(() => db.close())
  const patient = inTransaction(database.db, async (tx) => {
    await tx.allowStatements(0)
    const armed = timers.length
    const answer = await tx.query(sql`select pg_sleep(0.1)`)
    expect(timers.slice(armed), 'timers for what may take any time').toEqual([])
    return answer
  })
  expect(await patient).toHaveLength(1)
  const fail = async (work: Promise<unknown>) => {
    const thrown: unknown = await work.then(
      () => 'it was answered',
      (error: unknown) => error,
    )
    expect(problemOf(thrown).code).toBe('database-unavailable')
  }
  // The third connection stays idle.
  await Promise.all([1, 2, 3].map(() => db.query(sql`select pg_sleep(0.1)`)))
  expect(db.pool.totalCount).toBe(3)
  const alone: Promise<void>[] = []
  const together = inTransaction(db, async (tx) => {
    await tx.allowStatements(1_000)
    at.set({ type: 'half-open' })
    silentFrom = timers.length
    alone.push(fail(db.query(sql`select 2`)))
    await tx.query(sql`select 3`)
  })
  // The failed transaction must not wait for the answer to a rollback. Such a wait would set another timer,
  // and because no test code fires that timer, the transaction would not end.
  await Promise.all([fail(together), fire(1_000 + limits.answerGraceMs)])
  await expect.poll(() => db.pool.totalCount, { message: 'the one that is still waited for' }).toBe(1)
  await Promise.all([...alone, fire(usualMs)])
  await expect.poll(() => db.pool.totalCount, { message: 'silent ones' }).toBe(0)
  at.set({ type: 'none' })
  expect(await db.query(sql`select 4 as answer`)).toEqual([{ answer: 4 }])
})

async function openProxiedPool() {
  const there = new URL(database.urls.app)
  const at = await startFaultProxy(`http://${there.host}`)
  onTestFinished(() => at.close())
  there.host = new URL(at.url).host
  return { url: there.href, at }
}
