import sql from 'sql-template-tag'
import { expect, it, vi } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { readBooksCheck } from '../../src/outgoing/engine/controls/books-check-store.ts'
import { readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { continuousCheck } from '../../src/oversight/verify/continuous-check.ts'
import { methods, useSealedBooks } from './healthy-books.ts'
import { tamper } from './tampering.ts'

const database = useSealedBooks()

it('halts payouts if the books are broken, reports the reason, and lifts no halt by itself', async () => {
  const alerts: unknown[] = []
  const log = { ...silentLog, error: (fields: Record<string, unknown>) => void alerts.push(fields['alert']) }
  const check = continuousCheck({ db: database.db, methods, log })
  const signal = new AbortController().signal
  await check.runBatch(signal)
  expect(await readHalts(database.db)).toEqual([])
  const shift = (by: number) =>
    sql`update ledger_account set credits = credits + ${by} where name = 'available' and asset like '%/USDT'`
  await tamper(database, [shift(1_000_000)])
  await check.runBatch(signal)
  await check.runBatch(signal)
  const halts = await readHalts(database.db)
  expect(halts).toMatchObject([{ cause: 'books', detail: expect.stringMatching(/^M2: .*M3: available of/s) }])
  expect(alerts).toEqual(['outgoing-halted'])
  await tamper(database, [shift(-1_000_000)])
  await check.runBatch(signal)
  expect(await readHalts(database.db)).toEqual(halts)
})

it('continues soon after its first check of everything, however long that took', async () => {
  const { db, owner } = database
  await owner.query(sql`delete from proven_books`)
  let againMs = 0
  const again = async () => {
    now += againMs
    return { found: [], fullAt: undefined }
  }
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const check = continuousCheck({ db, methods, log: silentLog }, again)
    const signal = new AbortController().signal
    againMs = 10 * 60_000
    await check.runBatch(signal)
    expect(check.idleMs).toBe(limits.continuousCheckMs)
    againMs = 5_000
    await check.runBatch(signal)
    expect(check.idleMs).toBe(20 * againMs)
  } finally {
    clock.mockRestore()
  }
})

it('the check is overdue unless one ends in time, whatever it finds', async () => {
  const { db, owner } = database
  const check = continuousCheck({ db, methods, log: silentLog })
  const signal = new AbortController().signal
  await check.runBatch(signal)
  expect(await readBooksCheck(db)).toMatchObject({
    checkedSecondsAgo: expect.closeTo(0, -1),
    isOverdue: false,
  })
  await owner.query(sql`update books_check set checked_at = now() - interval '9 minutes', due_at = now()`)
  await owner.query(sql`alter table journal_line rename to elsewhere`)
  await expect(check.runBatch(signal)).rejects.toThrow('journal_line')
  await expect(check.runBatch(signal)).rejects.toThrow('journal_line')
  const { checkedSecondsAgo, isOverdue } = await readBooksCheck(db)
  expect({ isOverdue, isOld: (checkedSecondsAgo ?? 0) >= 9 * 60 }).toEqual({ isOverdue: true, isOld: true })
  await owner.query(sql`alter table elsewhere rename to journal_line`)
  await check.runBatch(signal)
  expect(await readBooksCheck(db)).toMatchObject({ isOverdue: false })
})
