import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { depositCounts } from '../../src/payments/deposits/lists/count-store.ts'
import type { DepositFilter } from '../../src/payments/deposits/lists/list-filter.ts'
import { type DepositPaging, listDeposits } from '../../src/payments/deposits/lists/list-store.ts'
import { aggregateOnce } from '../../src/platform/db/aggregate.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { addressRecords, depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { now } from '../support/records/values.ts'

const database = useDatabase()
const seed = randomInt(2 ** 31)
const merchants = [newId(), newId()]
const invoices = Array.from({ length: 5 }, () => newId())
/** An invoice that the lists do not show, because it is deleted. */
const deleted = newId()

interface Row {
  readonly id: string
  readonly merchantId: string
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly state: string
  readonly amount: string
  readonly createdAt: Date
  readonly confirmedAt: Date | null
}

/** Inserts rows with few different times, amounts, methods and states, so that many values are equal. */
beforeAll(async () => {
  const { db } = database
  await db.query(
    sql`insert into merchant (id, name) select id, 'Test' from unnest(${merchants}::uuid[]) as one (id)`,
  )
  await db.query(sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids)
    select id, (${merchants}::uuid[])[1 + ordinal % 2], 'onetime', '1', 1, 1, '{1}'
    from unnest(${[...invoices, deleted]}::uuid[]) with ordinality as one (id, ordinal)`)
  await db.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select 'evm', 1, 'test', id, now() from database_identity`)
  await addressRecords.add(db, { family: 'evm', address: '0x01', branch: 1, index: 0, mac: Buffer.alloc(0) })
  await db.query(sql`
    insert into deposit (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
      invoice_id, recipient, amount_minor, amount, state, inclusion, block_height, block_hash, included_at, in_time_at,
      fee_percent_basis_points, fee_flat_minor, created_at, confirmed_at)
    select gen_random_uuid(), 'ethereum', n::text, 'hash', 'ethereum/USDT', 1 + n % 3, (select id from address),
      invoice.merchant_id, invoice.id, '0x01', 1 + n % 7, (1 + n % 7) / 4.0, chosen.state, 1,
      1, 'hash', now(), now(), 0, 0, timestamptz '2026-01-01' + n % 11 * interval '12 hours',
      case when chosen.state = 'confirmed' then timestamptz '2026-01-02' + n % 5 * interval '1 day' end
    from generate_series(1, 300) n
    cross join lateral (select (array['pending', 'confirmed', 'confirmed', 'failed'])[1 + n % 4] as state) chosen
    join invoice on invoice.id = (${[...invoices, deleted]}::uuid[])[1 + n % 6]`)
  await invoiceRecords.change(db, { id: deleted }, { deletedAt: now })
})

const aggregate = (rows: number) => inTransaction(database.db, (tx) => aggregateOnce(tx, depositCounts, rows))

const some = <T>(...of: T[]) => fc.subarray(of, { minLength: 1 })
const times = fc
  .integer({ min: -1, max: 13 })
  .map((halfDays) => new Date(Date.UTC(2026, 0, 1) + halfDays * 43_200_000))
const filters = fc.record(
  {
    merchantId: fc.constantFrom(...merchants),
    states: some('pending', 'confirmed', 'failed'),
    createdFrom: times,
    createdTo: times,
    paymentMethodIds: some(1, 2, 3, 4),
    invoiceIds: some(...invoices, newId()),
  },
  { requiredKeys: ['merchantId'] },
) as fc.Arbitrary<DepositFilter>
const pagings: fc.Arbitrary<DepositPaging> = fc.record({
  limit: fc.constantFrom(1, 7, 20, 1000),
  page: fc.constantFrom(1, 2, 3, 1_000_000),
  order: fc.constantFrom('asc', 'desc'),
  orderBy: fc.constantFrom('createdAt', 'amount', 'confirmedAt'),
})

function modelList(
  all: readonly Row[],
  filter: DepositFilter,
  { limit, page, order, orderBy }: DepositPaging,
) {
  const matched = all.filter(
    (row) =>
      row.merchantId === filter.merchantId &&
      (filter.states?.includes(row.state) ?? true) &&
      (filter.paymentMethodIds?.includes(row.paymentMethodId) ?? true) &&
      (filter.invoiceIds?.includes(row.invoiceId) ?? true) &&
      (filter.createdFrom === undefined || row.createdAt >= filter.createdFrom) &&
      (filter.createdTo === undefined || row.createdAt <= filter.createdTo),
  )
  const sign = order === 'asc' ? 1 : -1
  const keyOf = (row: Row) =>
    ({
      createdAt: row.createdAt,
      amount: Number(row.amount),
      confirmedAt: row.confirmedAt ?? row.createdAt,
    })[orderBy]
  const isLast = (row: Row) => orderBy === 'confirmedAt' && row.confirmedAt === null
  matched.sort((a, b) => {
    if (isLast(a) !== isLast(b)) return isLast(a) ? 1 : -1
    const difference = Number(keyOf(a)) - Number(keyOf(b))
    return difference === 0 ? (a.id < b.id ? -sign : sign) : sign * difference
  })
  return { ids: matched.slice((page - 1) * limit, page * limit).map(({ id }) => id), total: matched.length }
}

describe(`lists of transactions, seed ${seed}`, () => {
  it('agree with a simple model, for any filters, order and page', async () => {
    const found = await depositRecords.all(database.db, { invoiceId: invoices })
    const all = found.map((deposit) => ({
      ...deposit,
      merchantId: required(deposit.merchantId, 'a merchant'),
      invoiceId: required(deposit.invoiceId, 'an invoice'),
    }))
    await fc.assert(
      fc.asyncProperty(filters, pagings, fc.constantFrom(0, 1, 10), async (filter, paging, aggregated) => {
        await aggregate(aggregated)
        const { deposits, total } = await listDeposits(database.db, filter, paging)
        expect({ ids: deposits.map(({ id }) => id), total }).toEqual(modelList(all, filter, paging))
      }),
      { seed, numRuns: 300 },
    )
  }, 60_000)
})
