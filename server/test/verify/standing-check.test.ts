import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { readBooksCheck } from '../../src/payouts/books-check-store.ts'
import { readHalts } from '../../src/payouts/halt-store.ts'
import { standingCheck } from '../../src/verify/standing-check.ts'
import { methods, useSealedBooks } from './healthy-books.ts'
import { tamper } from './tampering.ts'

const database = useSealedBooks()

it('halts payouts when the books are broken, says why, and lifts no halt by itself', async () => {
  const alerts: unknown[] = []
  const log = { ...silentLog, error: (fields: Record<string, unknown>) => void alerts.push(fields['alert']) }
  const check = standingCheck({ db: database.db, methods, log })
  const signal = new AbortController().signal
  await check.takeAndDo(signal)
  expect(await readHalts(database.db)).toEqual([])
  const shift = (by: number) =>
    sql`update ledger_account set credits = credits + ${by} where name = 'available' and asset like '%/USDT'`
  await tamper(database, [shift(1_000_000)])
  await check.takeAndDo(signal)
  await check.takeAndDo(signal)
  const halts = await readHalts(database.db)
  expect(halts).toMatchObject([{ cause: 'books', detail: expect.stringMatching(/^M2: .*M3: available of/s) }])
  expect(alerts).toEqual(['payouts-halted'])
  await tamper(database, [shift(-1_000_000)])
  await check.takeAndDo(signal)
  expect(await readHalts(database.db)).toEqual(halts)
})

it('is overdue unless a check comes to its end in time, whatever it finds', async () => {
  const { db, owner } = database
  const check = standingCheck({ db, methods, log: silentLog })
  const signal = new AbortController().signal
  await check.takeAndDo(signal)
  expect(await readBooksCheck(db)).toMatchObject({
    checkedSecondsAgo: expect.closeTo(0, -1),
    isOverdue: false,
  })
  await owner.query(sql`update books_check set checked_at = now() - interval '9 minutes', due_at = now()`)
  await owner.query(sql`alter table journal_line rename to elsewhere`)
  await expect(check.takeAndDo(signal)).rejects.toThrow('journal_line')
  await expect(check.takeAndDo(signal)).rejects.toThrow('journal_line')
  const { checkedSecondsAgo, isOverdue } = await readBooksCheck(db)
  expect({ isOverdue, isOld: (checkedSecondsAgo ?? 0) >= 9 * 60 }).toEqual({ isOverdue: true, isOld: true })
  await owner.query(sql`alter table elsewhere rename to journal_line`)
  await check.takeAndDo(signal)
  expect(await readBooksCheck(db)).toMatchObject({ isOverdue: false })
})
