/** Totals of transactions: what is kept agrees with what is there, whatever happens to payments and invoices meanwhile. */
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import sql, { type Sql } from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { transactionsAreCounted } from '../../src/oversight/verify/books/transaction-counts.ts'
import { transactionCounts } from '../../src/payments/deposits/lists/count-store.ts'
import { listTransactions } from '../../src/payments/deposits/lists/list-store.ts'
import { bury } from '../../src/payments/invoices/decision-store.ts'
import { lockInvoice } from '../../src/payments/invoices/store.ts'
import { foldOnce } from '../../src/platform/db/fold.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { insertShops, insertTransactions, type MadeTransaction } from '../support/transaction-rows.ts'

const database = useDatabase()
const seed = randomInt(2 ** 31)
const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))
const invoices = Array.from({ length: 12 }, () => newId())

beforeAll(() => insertShops(database.db, invoices))

const made: fc.Arbitrary<MadeTransaction> = fc.record({
  invoiceId: fc.constantFrom(...invoices),
  methodId: fc.constantFrom(1, 2, 3),
  state: fc.constantFrom('pending', 'confirmed', 'failed'),
  createdAt: fc
    .integer({ min: 0, max: 200 })
    .map((halfDays) => new Date(Date.UTC(2026, 0, 1) + halfDays * 43_200_000)),
})

/** Each takes about a third of the rows. */
const third = sql`hashtext(id::text) % 3 = 0`
const changes: readonly Sql[] = [
  sql`update transaction set state = 'confirmed', confirmed_at = now() where ${third}`,
  sql`update transaction set state = 'pending', confirmed_at = null where ${third}`,
  sql`update transaction set failures = failures + 1`,
  sql`update transaction set payment_method_id = 3 where hashtext(id::text) % 7 = 0`,
  sql`update transaction set merchant_id = null, invoice_id = null where hashtext(id::text) % 11 = 0`,
  sql`update invoice set deleted_at = now() where deleted_at is null and ${third}`,
  sql`update invoice set deleted_at = null where ${third}`,
  sql`update invoice set description = 'more'`,
]

const fold = (rows: number) => inTransaction(database.db, (tx) => foldOnce(tx, transactionCounts, rows))

/** What `verify` finds of the counts. */
async function findings(): Promise<readonly string[]> {
  return (await transactionsAreCounted.check({ on: database.db, methods })).findings
}

async function totalOf(merchantId = ''): Promise<number> {
  const paging = { limit: 1, page: 1, order: 'asc', orderBy: 'createdAt' } as const
  return (await listTransactions(database.db, { merchantId }, paging)).total
}

describe(`counts of transactions, seed ${seed}`, () => {
  it('are right after any changes, however much of them is folded', async () => {
    const step = fc.record({
      added: fc.array(made, { maxLength: 20 }),
      change: fc.constantFrom(...changes),
      folded: fc.constantFrom(0, 3, 1000),
    })
    await fc.assert(
      fc.asyncProperty(step, async ({ added, change, folded }) => {
        await insertTransactions(database.db, added)
        await database.db.query(change)
        await fold(folded)
        expect(await findings()).toEqual([])
      }),
      { seed, numRuns: 60, endOnFailure: true },
    )
  })

  it('are found wrong when somebody changes them', async () => {
    while ((await fold(1000)) > 0);
    const invoiceId = required(invoices[0], 'an invoice')
    await database.db.query(sql`update invoice set deleted_at = null where id = ${invoiceId}`)
    await insertTransactions(database.db, [
      { invoiceId, methodId: 1, state: 'pending', createdAt: new Date('2030-01-01T00:00:00Z') },
    ])
    const day = Date.UTC(2030, 0, 1) / 86_400_000
    await database.db.query(sql`update transaction_count_change set difference = 2 where day = ${day}`)
    expect((await findings()).join()).toMatch(/has 1 transactions of \["day", .*, counted were 2/)
    await database.db.query(sql`update transaction_count_change set difference = 1 where day = ${day}`)
    expect(await findings()).toEqual([])
  })
})

describe('a payment while its invoice is deleted', () => {
  const payment = (invoiceId: string): MadeTransaction => ({
    invoiceId,
    methodId: 1,
    state: 'pending',
    createdAt: new Date(),
  })

  async function freshInvoice(): Promise<{ invoiceId: string; merchantId: string }> {
    const invoiceId = newId()
    const [, merchantId = ''] = await insertShops(database.db, [invoiceId])
    return { invoiceId, merchantId }
  }

  /** Runs `first` up to its commit, then `second` until it waits for it, then lets both end. */
  async function interleave(
    first: (tx: Tx) => Promise<unknown>,
    second: (tx: Tx) => Promise<unknown>,
  ): Promise<void> {
    let following: Promise<unknown> = Promise.resolve()
    await inTransaction(database.db, async (tx) => {
      await first(tx)
      following = inTransaction(database.db, second)
      await expect.poll(() => countLockWaiters(database.owner)).toBeGreaterThan(0)
    })
    await following
  }

  const burying = (invoiceId: string) => async (tx: Tx) => {
    await lockInvoice(tx, invoiceId)
    await bury(tx, invoiceId)
  }

  it('is counted out where it was written first', async () => {
    const { invoiceId, merchantId } = await freshInvoice()
    await interleave(
      (tx) => insertTransactions(tx, [payment(invoiceId)]),
      (tx) => bury(tx, invoiceId),
    )
    expect(await totalOf(merchantId)).toBe(0)
    expect(await findings()).toEqual([])
  })

  it('is not counted where the deletion was written first', async () => {
    const { invoiceId, merchantId } = await freshInvoice()
    await interleave(burying(invoiceId), (tx) => insertTransactions(tx, [payment(invoiceId)]))
    expect(await totalOf(merchantId)).toBe(0)
    expect(await findings()).toEqual([])
  })

  it('is counted out by its newest state, whichever of the two was written first', async () => {
    const confirm = (invoiceId: string) => (tx: Tx) =>
      tx.query(
        sql`update transaction set state = 'confirmed', confirmed_at = now() where invoice_id = ${invoiceId}`,
      )
    for (const isDeletedFirst of [true, false]) {
      const { invoiceId, merchantId } = await freshInvoice()
      await insertTransactions(database.db, [payment(invoiceId)])
      const both = [burying(invoiceId), confirm(invoiceId)]
      const [first, second] = isDeletedFirst ? both : both.toReversed()
      await interleave(required(first, 'one'), required(second, 'the other'))
      expect(await totalOf(merchantId)).toBe(0)
      expect(await findings()).toEqual([])
    }
  })

  it('and one that comes later is in no total, and what the deletion took is gone from it', async () => {
    const { invoiceId, merchantId } = await freshInvoice()
    await insertTransactions(database.db, [payment(invoiceId), payment(invoiceId)])
    expect(await totalOf(merchantId)).toBe(2)
    await inTransaction(database.db, burying(invoiceId))
    expect(await totalOf(merchantId)).toBe(0)
    await insertTransactions(database.db, [payment(invoiceId)])
    expect(await totalOf(merchantId)).toBe(0)
    expect(await findings()).toEqual([])
  })
})
