/**
 * Tests verify on large books: in stretches and short snapshots, from the last proof on, and when its process
 * ends.
 */
import type pg from 'pg'
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { findViolations, rescan } from '../../src/oversight/verify/continuous-check.ts'
import type { Part } from '../../src/oversight/verify/invariant.ts'
import type { Prover } from '../../src/oversight/verify/proof.ts'
import { forgetProof, readProof, saveProof } from '../../src/oversight/verify/proof-store.ts'
import { cancelStatements, inShortSnapshot, scansOf } from '../../src/oversight/verify/run-scans.ts'
import { type VerifyParts, verify } from '../../src/oversight/verify/verify.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { sqlState } from '../../src/platform/db/transaction.ts'
import type { TestDatabase } from '../support/database.ts'
import { merchantId, methods, payments, postMove, useSealedBooks } from './healthy-books.ts'
import { tamper } from './tampering.ts'

const paymentId = (number: number) => `0197a1f1-3333-7333-8333-00000000000${number}`
const raised = (number: number, by: number) =>
  sql`update deposit set amount_minor = amount_minor + ${by} where id = ${paymentId(number)}`
/** Changes the first line of a deposit's journal that was sealed long ago. */
const oldLine = (by: number) => sql`
  update journal_line set credit = credit + ${by}
  where (journal_id, ordinal) = (select id, 1 from journal where subject like 'deposit:%' order by subject limit 1)`

async function found(database: TestDatabase, parts: Partial<VerifyParts> = {}): Promise<readonly string[]> {
  const { entries } = await verify({ db: database.db, methods, ...parts })
  return entries.flatMap(({ id, ok }) => (ok ? [] : [id]))
}

/** Makes the proof an hour older than it is, so that all rows so far count as old. */
async function ageBooks({ db }: TestDatabase, prover: Prover): Promise<void> {
  const proof = await readProof(db, prover)
  if (typeof proof === 'string') throw new Error(`there is no proof: ${proof}`)
  await saveProof(db, { ...proof, beganAt: new Date(Date.now() + hourMs) })
}

const hourMs = 60 * 60_000

async function seal({ db }: TestDatabase): Promise<void> {
  const lease = required(
    await acquireLease(db, { name: newId(), holderId: newId(), ttlMs: 60_000 }),
    'a lease of its own',
  )
  await sealBatch(db, lease)
}

describe('verify in stretches of one row', () => {
  const database = useSealedBooks()

  it('checks as much as in one stretch, and finds nothing', async () => {
    const counts = async (parts: Partial<VerifyParts>) =>
      (await verify({ db: database.db, methods, ...parts })).entries.map(({ id, examined, findings }) => [
        id,
        examined,
        findings,
      ])
    expect(await counts({ rowsMost: 1 })).toEqual(await counts({}))
  })

  it('finds a fault in the first payment, in any other, and in the last', async () => {
    for (const { number } of payments.filter(({ fate }) => fate !== 'pending' && fate !== 'reverted')) {
      await tamper(database, [raised(number, 1)])
      expect(await found(database, { rowsMost: 1 }), `payment ${number}`).toEqual(
        expect.arrayContaining(['M7', 'M9', 'M21-deposits']),
      )
      await tamper(database, [raised(number, -1)])
    }
  })

  it('finds journals and events whose subjects do not exist, although they are in no stretch', async () => {
    const subject = 'transaction.confirmed:nothing'
    await tamper(database, [
      sql`update event set subject = ${subject} where subject = ${`transaction.confirmed:${paymentId(1)}:1`}`,
      sql`update journal set subject = 'nothing' where subject = ${`deposit:${paymentId(2)}:1`}`,
    ])
    expect(await found(database, { rowsMost: 1 })).toEqual(
      expect.arrayContaining(['M7', 'M9', 'M14', 'M14-states', 'M17', 'M21-journals']),
    )
  })
})

describe('verify in short snapshots', () => {
  const database = useSealedBooks()

  it('reports no finding that another snapshot does not confirm', async () => {
    const parentOf = (hash: string) => sql`update block set parent_hash = ${hash} where height = 8`
    const [block] = await database.db.query<{ hash: string }>(sql`select hash from block where height = 7`)
    await tamper(database, [parentOf('0xelse')])
    const mend = () => tamper(database, [parentOf(block?.hash ?? '')])
    const pool = afterFirst(database.db.pool, 'the block below it is', mend)
    expect(await found({ ...database, db: { ...database.db, pool } })).toEqual([])
  })
})

describe('verify since the last proof', () => {
  const database = useSealedBooks()
  const reach = 'since last'

  it('finds new faults, and reports that it checks nothing older', async () => {
    expect(await verify({ db: database.db, methods })).toMatchObject({ ok: true, since: undefined })
    await ageBooks(database, 'verify')
    await tamper(database, [oldLine(5)])
    await postMove(database.db, 'new')
    await seal(database)
    const report = await verify({ db: database.db, methods, reach })
    expect(report).toMatchObject({ ok: true, since: expect.any(Date) })
    expect(report.entries.find(({ id }) => id === 'M16-counts')).toMatchObject({
      skipped: 'only a full run checks it',
    })
    expect(report.entries.find(({ id }) => id === 'M17')).toMatchObject({ examined: 1 })
    await ageBooks(database, 'verify')
    await postMove(database.db, 'newer')
    await tamper(database, [
      sql`update journal_line set debit = debit + 1 where debit > 0
          and journal_id = (select journal_id from journal_unsealed)`,
    ])
    expect(await found(database, { reach })).toEqual(expect.arrayContaining(['M2', 'M3']))
    await tamper(database, [
      sql`update journal_line set debit = debit - 1 where debit > 0
          and journal_id = (select journal_id from journal_unsealed)`,
    ])
    expect(await found(database)).toEqual(expect.arrayContaining(['M1', 'M2', 'M3', 'M17']))
    await tamper(database, [oldLine(-5)])
  })

  it('checks everything after a run that found an older fault, until the fault is repaired', async () => {
    expect(await found(database)).toEqual([])
    await ageBooks(database, 'verify')
    await tamper(database, [oldLine(5)])
    expect(await found(database, { reach })).toEqual([])
    await ageBooks(database, 'verify')
    expect(await found(database)).toEqual(expect.arrayContaining(['M1']))
    expect(await found(database, { reach })).toEqual(expect.arrayContaining(['M1']))
    await tamper(database, [oldLine(-5)])
    expect(await found(database, { reach })).toEqual([])
  })

  it('checks an older payment that a new event names', async () => {
    expect(await found(database)).toEqual([])
    await ageBooks(database, 'verify')
    const id = newId(Date.now() + 2 * hourMs)
    await tamper(database, [
      sql`update event set id = ${id} where subject = ${`transaction.confirmed:${paymentId(1)}:1`}`,
      raised(1, 1),
    ])
    expect(await found(database, { reach })).toEqual(expect.arrayContaining(['M7', 'M9', 'M14-bodies']))
    await tamper(database, [
      raised(1, -1),
      sql`update event set id = (body::json ->> 'id')::uuid where subject = ${`transaction.confirmed:${paymentId(1)}:1`}`,
    ])
  })

  it('does not restore a proof that another run deleted meanwhile', async () => {
    expect(await found(database)).toEqual([])
    await ageBooks(database, 'verify')
    const pool = afterFirst(database.db.pool, 'the block below it is', () =>
      forgetProof(database.db, 'verify'),
    )
    expect(await found({ ...database, db: { ...database.db, pool } }, { reach })).toEqual([])
    expect(await readProof(database.db, 'verify')).toBe('none')
    expect(await found(database)).toEqual([])
  })

  it('does not continue from a proof that somebody else wrote, or from one of another history', async () => {
    expect(await found(database)).toEqual([])
    await ageBooks(database, 'verify')
    await tamper(database, [raised(1, 1)])
    expect(await found(database, { reach })).toEqual([])
    await ageBooks(database, 'verify')
    const { owner } = database
    await owner.query(sql`update proven_books set sequence = sequence - 1`)
    const lines: string[] = []
    const report = (line: string) => void lines.push(line)
    expect(await found(database, { reach, report })).toEqual(expect.arrayContaining(['M9']))
    expect(lines).toContainEqual(expect.stringContaining('carries no MAC of BOOKS_KEY_FILE'))
    await tamper(database, [raised(1, -1)])
    expect(await found(database)).toEqual([])
    await ageBooks(database, 'verify')
    await tamper(database, [
      raised(1, 1),
      sql`update journal_seal set hash = sha256('another') where sequence = (select max(sequence) from journal_seal)`,
    ])
    expect(await found(database, { reach })).toEqual(expect.arrayContaining(['M9', 'M17']))
  })
})

describe('the continuous check', () => {
  const database = useSealedBooks()

  it('continues from its proof, checks proven rows again, and ignores a proof that somebody else wrote', async () => {
    const { db, owner } = database
    expect(await findViolations({ db, methods })).toEqual([])
    expect(await owner.query(sql`select prover from proven_books`)).toEqual([{ prover: 'continuous' }])
    await ageBooks(database, 'continuous')
    const nothingAgain = async () => ({ found: [], fullAt: undefined })
    await tamper(database, [oldLine(5)])
    expect(await findViolations({ db, methods }, nothingAgain)).toEqual([])
    expect(await findViolations({ db, methods })).toContainEqual(expect.stringMatching(/^M1: /))
    // The next check reads everything, although no row is due to be read again.
    expect(await findViolations({ db, methods }, nothingAgain)).toContainEqual(expect.stringMatching(/^M1: /))
    await tamper(database, [oldLine(-5)])
    expect(await findViolations({ db, methods }, nothingAgain)).toEqual([])
    await ageBooks(database, 'continuous')
    const totals = sql`update ledger_account set credits = credits + 7, debits = debits + 7 where name = 'available' and owner_id = ${merchantId}`
    await tamper(database, [totals])
    expect(await findViolations({ db, methods }, nothingAgain)).toContainEqual(expect.stringMatching(/^M3: /))
    await owner.query(sql`
      update proven_books set sums = (
        select jsonb_agg(jsonb_build_array(id::text, debits::text, credits::text) order by id) from ledger_account)`)
    expect(await findViolations({ db, methods }, nothingAgain)).toContainEqual(expect.stringMatching(/^M3: /))
  })
})

describe('rounds of the continuous check', () => {
  const database = useSealedBooks()
  const parts = (db = database.db) => ({ db, methods, rowsMost: 1 })
  const oneScan = 0

  it('reach a row in the middle although the process is restarted before each step', async () => {
    await tamper(database, [raised(4, 1)])
    let found: readonly string[] = []
    for (let starts = 0; starts < 400 && found.length === 0; starts += 1)
      found = (await rescan(parts())(oneScan)).found
    expect(found).toContainEqual(expect.stringMatching(/^M9: /))
    await tamper(database, [raised(4, -1)])
  })

  it('reach their end although every second step fails, and have read each row', async () => {
    let fails = false
    const again = rescan(parts({ ...database.db, pool: awayWhile(database.db.pool, () => fails) }))
    const round = async () => {
      const found = new Set<string>()
      for (let scans = 0; scans < 1_000; scans += 1) {
        fails = !fails
        const scanned = await again(oneScan).catch((error: Error) => void expect(error.message).toBe('away'))
        for (const finding of scanned?.found ?? []) found.add(finding.slice(0, 3))
        if (scanned?.fullAt !== undefined || found.size > 0) return { found, fullAt: scanned?.fullAt }
      }
      throw new Error('it never came to its end')
    }
    expect(await round()).toEqual({ found: new Set(), fullAt: expect.any(Date) })
    await tamper(database, [raised(4, 1)])
    expect((await round()).found).toEqual(new Set(['M9:']))
    await tamper(database, [raised(4, -1)])
  })

  it('store in the proof when the last complete round began', async () => {
    expect(await findViolations({ db: database.db, methods })).toEqual([])
    const proof = await readProof(database.db, 'continuous')
    if (typeof proof === 'string') throw new Error(`there is no proof: ${proof}`)
    await saveProof(database.db, { ...proof, fullAt: new Date(0) })
    expect(await findViolations({ db: database.db, methods }, rescan(parts()))).toEqual([])
    const { fullAt } = (await readProof(database.db, 'continuous')) as typeof proof
    expect(fullAt?.getTime()).toBeGreaterThan(proof.beganAt.getTime() - 1)
  })
})

describe('a stretch that takes too long', () => {
  const database = useSealedBooks()

  it('is reduced to one row, which is then awaited', async () => {
    const asked: number[] = []
    const part: Part = {
      table: 'merchant',
      scan: async ({ on }, { rows }) => {
        asked.push(rows)
        await on.query(sql`select pg_sleep(0.5)`)
        return { examined: 1, rows, findings: [], next: undefined }
      },
    }
    const signal = new AbortController().signal
    const scans = scansOf(part, { db: database.db, methods, signal, rowsMost: 4, stretchMs: 100 })
    expect(await scans.next()).toMatchObject({ value: { examined: 1 } })
    expect(asked).toEqual([4, 1, 1])
  })
})

describe('a table that somebody has locked', () => {
  const database = useSealedBooks()

  it('is awaited for longer than a request would wait', async () => {
    const locker = await database.owner.pool.connect()
    await locker.query('begin')
    await locker.query('lock table journal in access exclusive mode')
    const rejections: unknown[] = []
    let released: Promise<unknown> | undefined
    const pool = onError(database.db.pool, (error) => {
      rejections.push(sqlState(error))
      released ??= locker.query('rollback')
    })
    expect(await found({ ...database, db: { ...database.db, pool } })).toEqual([])
    expect(rejections).toContain('55P03')
    await released
    locker.release()
  })
})

describe('a statement of verify', () => {
  const database = useSealedBooks()
  const name = 'coffer verify of a test'
  const scans = (db: VerifyParts['db']) => ({ db, methods, signal: new AbortController().signal })
  const active = async () =>
    (
      await database.db.query(
        sql`select from pg_stat_activity where application_name = ${name} and state = 'active'`,
      )
    ).length
  const sleep = (db: VerifyParts['db']) =>
    inShortSnapshot(scans(db), false, ({ on }) => on.query(sql`select pg_sleep(300)`))

  it('ends within five seconds after its process disappeared', async () => {
    const db = openDb({ url: database.urls.app, connections: 1, log: silentLog, name })
    const clients: pg.PoolClient[] = []
    db.pool.on('connect', (client) => clients.push(client))
    const asked = sleep(db).catch((error: unknown) => error)
    await expect.poll(active).toBe(1)
    const { connection } = clients[0] as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
    expect(await asked).toBeInstanceOf(Error)
    await expect.poll(active, { timeout: 5_000 }).toBe(0)
    await db.close()
  })

  it('ends at once with Ctrl-C', async () => {
    const db = openDb({ url: database.urls.app, connections: 2, log: silentLog, name })
    const asked = sleep(db).catch((error: unknown) => error)
    await expect.poll(active).toBe(1)
    await cancelStatements(db, name)
    expect(await asked).toMatchObject({ code: '57014' })
    await db.close()
  })
})

/** Returns a pool whose database is unavailable while `isAway` returns true. */
function awayWhile(pool: pg.Pool, isAway: () => boolean): pg.Pool {
  const orAway =
    (work: (...asked: never[]) => unknown) =>
    async (...asked: never[]) => {
      if (isAway()) throw new Error('away')
      return work(...asked)
    }
  return override(pool, { connect: orAway(pool.connect.bind(pool)), query: orAway(pool.query.bind(pool)) })
}

/** Returns a pool that calls `work` with each error of a statement. */
function onError(pool: pg.Pool, work: (error: unknown) => void): pg.Pool {
  const connect = async () => {
    const client = await pool.connect()
    const query = async (statement: pg.QueryConfig) => {
      try {
        return await client.query(statement)
      } catch (error) {
        work(error)
        throw error
      }
    }
    return override(client, { query })
  }
  return override(pool, { connect })
}

/** Returns a pool that runs `work` once, after the first statement that contains `text`. */
function afterFirst(pool: pg.Pool, text: string, work: () => Promise<void>): pg.Pool {
  let isDone = false
  const connect = async () => {
    const client = await pool.connect()
    const query = async (statement: pg.QueryConfig) => {
      const result = await client.query(statement)
      if (!isDone && statement.text?.includes(text)) {
        isDone = true
        await work()
      }
      return result
    }
    return override(client, { query })
  }
  return override(pool, { connect })
}

function override<T extends object>(target: T, changes: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (_, key) => {
      if (typeof key === 'string' && key in changes) return changes[key]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
