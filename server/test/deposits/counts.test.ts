/**
 * Tests totals of deposits: the stored counts agree with the rows, even if payments and invoices change
 * meanwhile.
 */
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import sql, { type Sql } from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { depositsAreCounted } from '../../src/oversight/verify/books/deposit-counts.ts'
import { depositCounts } from '../../src/payments/deposits/lists/count-store.ts'
import { listDeposits } from '../../src/payments/deposits/lists/list-store.ts'
import { bury } from '../../src/payments/invoices/decision-store.ts'
import { lockInvoice } from '../../src/payments/invoices/store.ts'
import { aggregateOnce } from '../../src/platform/db/aggregate.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { useDatabase } from '../support/database.ts'
import { insertDepositRows, insertShops, type MadeDeposit } from '../support/deposit-rows.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { depositCountChangeRecords, depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { now } from '../support/records/values.ts'

const database = useDatabase()
const seed = randomInt(2 ** 31)
const methods = paymentMethods(mainPaymentMethods(), new Set(['ethereum']))
const invoices = Array.from({ length: 12 }, () => newId())

beforeAll(() => insertShops(database.db, invoices))

const made: fc.Arbitrary<MadeDeposit> = fc.record({
  invoiceId: fc.constantFrom(...invoices),
  methodId: fc.constantFrom(1, 2, 3),
  state: fc.constantFrom('pending', 'confirmed', 'failed'),
  createdAt: fc
    .integer({ min: 0, max: 200 })
    .map((halfDays) => new Date(Date.UTC(2026, 0, 1) + halfDays * 43_200_000)),
})

/** A condition that selects about a third of the rows. */
const third = sql`hashtext(id::text) % 3 = 0`
const changes: readonly Sql[] = [
  sql`update deposit set state = 'confirmed', confirmed_at = now() where ${third}`,
  sql`update deposit set state = 'pending', confirmed_at = null where ${third}`,
  sql`update deposit set failures = failures + 1`,
  sql`update deposit set payment_method_id = 3 where hashtext(id::text) % 7 = 0`,
  sql`update deposit set merchant_id = null, invoice_id = null where hashtext(id::text) % 11 = 0`,
  sql`update invoice set deleted_at = now() where deleted_at is null and ${third}`,
  sql`update invoice set deleted_at = null where ${third}`,
  sql`update invoice set description = 'more'`,
]

const aggregate = (rows: number) => inTransaction(database.db, (tx) => aggregateOnce(tx, depositCounts, rows))

/** Returns what `verify` finds wrong with the counts. */
async function findings(): Promise<readonly string[]> {
  return (await depositsAreCounted.check({ on: database.db, methods })).findings
}

async function totalOf(merchantId = ''): Promise<number> {
  const paging = { limit: 1, page: 1, order: 'asc', orderBy: 'createdAt' } as const
  return (await listDeposits(database.db, { merchantId }, paging)).total
}

describe(`counts of transactions, seed ${seed}`, () => {
  it('are correct after any changes, however many of them are aggregated', async () => {
    const step = fc.record({
      added: fc.array(made, { maxLength: 20 }),
      change: fc.constantFrom(...changes),
      aggregated: fc.constantFrom(0, 3, 1000),
    })
    await fc.assert(
      fc.asyncProperty(step, async ({ added, change, aggregated }) => {
        await insertDepositRows(database.db, added)
        await database.db.query(change)
        await aggregate(aggregated)
        expect(await findings()).toEqual([])
      }),
      { seed, numRuns: 60, endOnFailure: true },
    )
  })

  it('are found wrong when somebody changes them', async () => {
    while ((await aggregate(1000)) > 0);
    const invoiceId = required(invoices[0], 'an invoice')
    await invoiceRecords.change(database.db, { id: invoiceId }, { deletedAt: null })
    await insertDepositRows(database.db, [
      { invoiceId, methodId: 1, state: 'pending', createdAt: new Date('2030-01-01T00:00:00Z') },
    ])
    const day = Date.UTC(2030, 0, 1) / 86_400_000
    await depositCountChangeRecords.change(database.db, { day }, { difference: 2 })
    expect((await findings()).join()).toMatch(/has 1 deposits of \["day", .*, the stored count is 2/)
    await depositCountChangeRecords.change(database.db, { day }, { difference: 1 })
    expect(await findings()).toEqual([])
  })
})

describe('a payment to an invoice that is being deleted', () => {
  const payment = (invoiceId: string): MadeDeposit => ({
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

  /** Runs `first` up to its commit, then `second` until it waits for the first, then lets both end. */
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

  it('is subtracted if it was written first', async () => {
    const { invoiceId, merchantId } = await freshInvoice()
    await interleave(
      (tx) => insertDepositRows(tx, [payment(invoiceId)]),
      (tx) => bury(tx, invoiceId),
    )
    expect(await totalOf(merchantId)).toBe(0)
    expect(await findings()).toEqual([])
  })

  it('is not counted if the deletion was written first', async () => {
    const { invoiceId, merchantId } = await freshInvoice()
    await interleave(burying(invoiceId), (tx) => insertDepositRows(tx, [payment(invoiceId)]))
    expect(await totalOf(merchantId)).toBe(0)
    expect(await findings()).toEqual([])
  })

  it('is subtracted in its newest state, whichever of the two was written first', async () => {
    const confirm = (invoiceId: string) => (tx: Tx) =>
      depositRecords.change(tx, { invoiceId }, { state: 'confirmed', confirmedAt: now })
    for (const isDeletedFirst of [true, false]) {
      const { invoiceId, merchantId } = await freshInvoice()
      await insertDepositRows(database.db, [payment(invoiceId)])
      const both = [burying(invoiceId), confirm(invoiceId)]
      const [first, second] = isDeletedFirst ? both : both.toReversed()
      await interleave(required(first, 'one'), required(second, 'the other'))
      expect(await totalOf(merchantId)).toBe(0)
      expect(await findings()).toEqual([])
    }
  })

  it('is in no total, whether it came before the deletion or after it', async () => {
    const { invoiceId, merchantId } = await freshInvoice()
    await insertDepositRows(database.db, [payment(invoiceId), payment(invoiceId)])
    expect(await totalOf(merchantId)).toBe(2)
    await inTransaction(database.db, burying(invoiceId))
    expect(await totalOf(merchantId)).toBe(0)
    await insertDepositRows(database.db, [payment(invoiceId)])
    expect(await totalOf(merchantId)).toBe(0)
    expect(await findings()).toEqual([])
  })
})
