/** A database server without power, or behind a broken way: it sends neither an answer nor an end. */
import sql from 'sql-template-tag'
import { expect, it, onTestFinished } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { problemOf } from '../../src/platform/http/problems.ts'
import { useDatabase } from '../support/database.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'

const database = useDatabase()
const usualMs = limits.statementTimeoutMs + limits.answerGraceMs
/** A rollback that waited for its own answer would take longer. */
const marginMs = 3_000

it('gives up a connection on which nobody answers, in seconds, and no statement that may take longer', {
  timeout: 60_000,
}, async () => {
  const { url, at } = await openWay()
  const db = openDb({ url, connections: 3, log: silentLog })
  onTestFinished(() => db.close())
  const patient = inTransaction(database.db, async (tx) => {
    await tx.allowStatements(0)
    return tx.query(sql`select pg_sleep(${usualMs / 1000 + 1})`)
  })
  let askedMs = Number.NaN
  const fail = async (work: Promise<unknown>, withinMs: number) => {
    const thrown: unknown = await work.then(
      () => 'it was answered',
      (error: unknown) => error,
    )
    expect(problemOf(thrown).code).toBe('database-unavailable')
    expect(performance.now() - askedMs).toBeLessThan(withinMs + marginMs)
  }
  // The third is left idle.
  await Promise.all([1, 2, 3].map(() => db.query(sql`select pg_sleep(0.1)`)))
  expect(db.pool.totalCount).toBe(3)
  const alone: Promise<void>[] = []
  const together = inTransaction(db, async (tx) => {
    await tx.allowStatements(1_000)
    at.set({ type: 'half-open' })
    askedMs = performance.now()
    alone.push(fail(db.query(sql`select 2`), usualMs))
    await tx.query(sql`select 3`)
  })
  await fail(together, 1_000 + limits.answerGraceMs)
  await Promise.all(alone)
  expect(db.pool.totalCount, 'silent ones').toBe(0)
  at.set({ type: 'none' })
  expect(await db.query(sql`select 4 as answer`)).toEqual([{ answer: 4 }])
  expect(await patient).toHaveLength(1)
})

async function openWay() {
  const there = new URL(database.urls.app)
  const at = await startFaultProxy(`http://${there.host}`)
  onTestFinished(() => at.close())
  there.host = new URL(at.url).host
  return { url: there.href, at }
}
