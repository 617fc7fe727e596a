import sql from 'sql-template-tag'
import { beforeEach, describe, expect, it } from 'vitest'
import { InvariantError } from '../../src/core/assert.ts'
import type { Clock } from '../../src/core/clock.ts'
import { limits } from '../../src/core/limits.ts'
import { inTransaction, sqlState, type Tx, violatedConstraint } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const impatient: Clock = { now: () => new Date(), sleep: async () => {} }

beforeEach(async () => {
  await database.owner.query(sql`drop table if exists note`)
  await database.owner.query(sql`create table note (id int primary key, body int not null default 0)`)
  await database.owner.query(sql`grant all on note to coffer_app`)
})

const ids = async () =>
  (await database.db.query<{ id: number }>(sql`select id from note order by id`)).map((row) => row.id)

function failing(state: string): string {
  return `do $$ begin raise exception 'injected' using errcode = '${state}'; end $$`
}

describe('inTransaction', () => {
  it('commits the work and returns its result', async () => {
    const result = await inTransaction(database.db, async (tx) => {
      await tx.query(sql`insert into note (id) values (1)`)
      return 'done'
    })
    expect(result).toBe('done')
    expect(await ids()).toEqual([1])
  })

  it('rolls back when the work throws, and throws the same error', async () => {
    const error = new Error('no')
    const attempt = inTransaction(database.db, async (tx) => {
      await tx.query(sql`insert into note (id) values (1)`)
      throw error
    })
    await expect(attempt).rejects.toBe(error)
    expect(await ids()).toEqual([])
  })

  it('refuses a statement on a transaction that has ended, instead of running it outside the transaction', async () => {
    let kept: Tx | undefined
    await inTransaction(database.db, async (tx) => {
      kept = tx
    })
    await expect(kept?.query(sql`insert into note (id) values (1)`)).rejects.toThrow(InvariantError)
    expect(await ids()).toEqual([])
  })

  it.each(['40001', '40P01'])('runs the work again after SQLSTATE %s, from the start', async (state) => {
    let runs = 0
    await inTransaction(
      database.db,
      async (tx) => {
        runs += 1
        await tx.query(sql`insert into note (id) values (${runs})`)
        if (runs < 3) await tx.query({ text: failing(state), values: [] })
      },
      impatient,
    )
    expect(runs).toBe(3)
    expect(await ids()).toEqual([3])
  })

  it('gives up after a limited number of runs if a conflict persists', async () => {
    let runs = 0
    const attempt = inTransaction(
      database.db,
      async (tx) => {
        runs += 1
        await tx.query({ text: failing('40001'), values: [] })
      },
      impatient,
    )
    await expect(attempt).rejects.toSatisfy((error) => sqlState(error) === '40001')
    expect(runs).toBe(limits.transactionTries)
  })

  it('does not repeat work that violated a constraint, and names the constraint', async () => {
    let runs = 0
    const attempt = inTransaction(database.db, async (tx) => {
      runs += 1
      await tx.query(sql`insert into note (id) values (1), (1)`)
    })
    await expect(attempt).rejects.toSatisfy((error) => violatedConstraint(error) === 'note_pkey')
    expect(runs).toBe(1)
  })

  it('completes both of two transactions that lock in opposite order', async () => {
    await database.owner.query(sql`insert into note (id) values (1), (2)`)
    const bump = (tx: Tx, id: number) => tx.query(sql`update note set body = body + 1 where id = ${id}`)
    let firstHasLock = () => {}
    const first = new Promise<void>((resolve) => {
      firstHasLock = resolve
    })
    await Promise.all([
      inTransaction(database.db, async (tx) => {
        await bump(tx, 1)
        firstHasLock()
        await bump(tx, 2)
      }),
      inTransaction(database.db, async (tx) => {
        await bump(tx, 2)
        await first
        await bump(tx, 1)
      }),
    ])
    const rows = await database.db.query<{ body: number }>(sql`select body from note`)
    expect(rows.map((row) => row.body)).toEqual([2, 2])
  })

  it('discards a connection that broke during a transaction, so that the next transaction works', async () => {
    const attempt = inTransaction(database.db, async (tx) => {
      const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await database.db.query(sql`select pg_terminate_backend(${row?.pid})`)
      await tx.query(sql`insert into note (id) values (1)`)
    })
    await expect(attempt).rejects.toThrow()
    await inTransaction(database.db, (tx) => tx.query(sql`insert into note (id) values (2)`))
    expect(await ids()).toEqual([2])
  })
})
