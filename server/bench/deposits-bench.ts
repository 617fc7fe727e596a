/**
 * Measures the list of a merchant's transactions, with its total. Compares it with a `count` over all rows,
 * which would be necessary without stored counts.
 */
import pg from 'pg'
import type { CloseStack } from '../src/app/close-stack.ts'
import { required } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import { depositCounts } from '../src/payments/deposits/lists/count-store.ts'
import type { DepositFilter } from '../src/payments/deposits/lists/list-filter.ts'
import { listDeposits } from '../src/payments/deposits/lists/list-store.ts'
import { aggregateOnce } from '../src/platform/db/aggregate.ts'
import type { Db } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { insertShops } from '../test/support/deposit-rows.ts'
import type { BenchParts } from './bench.ts'
import { closeAfter } from './close-after.ts'
import { type Measurement, median, spreadOf } from './measurement.ts'
import { openPostgres } from './open-postgres.ts'

const sizes = { full: [60_000, 600_000], quick: [6_000, 60_000] }
const rounds = 200
const page = { limit: 20, page: 1, order: 'desc', orderBy: 'createdAt' } as const

export function depositsBench(parts: BenchParts): Promise<readonly Measurement[]> {
  return closeAfter((opened) => measureAll(parts, opened))
}

async function measureAll({ quick, note }: BenchParts, opened: CloseStack): Promise<readonly Measurement[]> {
  const postgres = await openPostgres()
  opened.add('PostgreSQL', () => postgres.stop())
  note(postgres.description)
  const measurements: Measurement[] = []
  for (const transactions of quick ? sizes.quick : sizes.full) {
    const { db, ownerUrl, drop } = await postgres.copy()
    const merchantId = await fill(db, ownerUrl, transactions)
    measurements.push(...(await measure(db, merchantId, transactions)))
    await drop()
  }
  return measurements
}

async function measure(db: Db, merchantId: string, transactions: number): Promise<readonly Measurement[]> {
  const half = new Date(Date.now() - 182.3 * 86_400_000)
  const filters: ReadonlyMap<string, Omit<DepositFilter, 'merchantId'>> = new Map([
    ['no filter', {}],
    ['confirmed, two methods', { states: ['confirmed'], paymentMethodIds: [1, 2] }],
    ['last six months', { createdFrom: half }],
  ])
  const measurements: Measurement[] = []
  for (const [title, filter] of filters) {
    const tookMs = await times(() => listDeposits(db, { merchantId, ...filter }, page))
    measurements.push(measurementOf(`list of ${transactions}: ${title}`, tookMs, { atMost: 25 }))
  }
  const counting = { text: 'select count(*) from deposit where merchant_id = $1', values: [merchantId] }
  const countedMs = await times(() => db.query(counting))
  return [...measurements, measurementOf(`count(*) of ${transactions}, as before`, countedMs)]
}

async function times(work: () => Promise<unknown>): Promise<readonly number[]> {
  const tookMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now()
    await work()
    tookMs.push(performance.now() - startedMs)
  }
  return tookMs
}

function measurementOf(
  bar: string,
  tookMs: readonly number[],
  must?: { readonly atMost: number },
): Measurement {
  return { bar, measured: median(tookMs), unit: 'ms', remark: spreadOf(tookMs, 'ms'), ...(must && { must }) }
}

/**
 * Writes a year of payments to 1,000 invoices. Includes all of them in the stored counts, as in a shop that
 * has been in use.
 */
async function fill(db: Db, ownerUrl: string, transactions: number): Promise<string> {
  const invoices = Array.from({ length: 2_000 }, () => newId())
  const [, merchantId] = await insertShops(db, invoices)
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(filling, [merchantId, transactions])
  await owner.query('vacuum analyze deposit')
  await owner.query('vacuum analyze invoice')
  while ((await inTransaction(db, (tx) => aggregateOnce(tx, depositCounts, 50_000))) > 0);
  await owner.query('vacuum analyze deposit_count')
  await owner.end()
  return required(merchantId, 'a merchant')
}

const filling = `
  insert into deposit (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
    invoice_id, recipient, amount_minor, amount, state, inclusion, block_height, block_hash, included_at, in_time_at,
    fee_percent_basis_points, fee_flat_minor, created_at, confirmed_at)
  select gen_random_uuid(), 'ethereum', n::text, 'hash', 'ethereum/USDT', 1 + n % 3, (select id from address limit 1), $1,
    own.ids[1 + n % 1000], '0x01', 1, 1, state, 1, 1, 'hash', now(), now(), 0, 0,
    now() - ($2 - n) * (interval '365 days' / $2), case when state = 'confirmed' then now() end
  from (select array_agg(id) as ids from invoice where merchant_id = $1) own,
    generate_series(1, $2::integer) n
    cross join lateral (select (array['confirmed', 'confirmed', 'confirmed', 'failed'])[1 + n % 4] as state) chosen`
