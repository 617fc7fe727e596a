/** Measures the creation of invoices and the assignment of their addresses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { required } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import { limits } from '../src/core/limits.ts'
import type { NewInvoice } from '../src/payments/invoices/invoice.ts'
import { insertInvoices } from '../src/payments/invoices/store.ts'
import type { Db } from '../src/platform/db/pool.ts'
import { fixedReadings } from '../src/pricing/rates/fixed-prices.ts'
import { saveRates } from '../src/pricing/rates/store.ts'
import type { Report } from './bench.ts'
import type { FilledMerchant } from './fill-invoices.ts'
import { figure, median, percentile, spreadOf } from './measurement.ts'
import { type MostAnswersParts, mostAnswers } from './most-answers.ts'
import type { Workload } from './open-load.ts'
import { runPgbench } from './run-pgbench.ts'

export interface InvoicesParts extends MostAnswersParts {
  readonly merchant: FilledMerchant
  readonly db: Db
  readonly appUrl: string
  readonly durationMs: number
  readonly rounds: number
}

/**
 * Measures the creation of invoices. The reference, a plain insert with pgbench, is measured first, in the
 * same run and on the same tables.
 */
export async function measureCreates(parts: InvoicesParts, report: Report): Promise<void> {
  const { load, merchant, appUrl, durationMs } = parts
  const reference = await runPgbench(appUrl, insertScript(merchant.merchantId), durationMs / 1000)
  const workload: Workload = (index) => ({
    method: 'POST',
    path: `/merchants/${merchant.merchantId}/invoices`,
    headers: { 'x-api-key': merchant.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: '19.99',
      type: 'onetime',
      paymentMethodID: 1,
      description: `Order ${index} for Ada Lovelace: lamp`,
    }),
  })
  const { perSecond: most, cpu } = await mostAnswers(parts, workload, durationMs)
  report({
    bar: 'POST invoice',
    must: { atLeast: 0.4 },
    measured: most / reference.perSecond,
    unit: 'of plain SQL',
    remark: `${figure(most)}/s; ${reference.by}, one row per commit: ${figure(reference.perSecond)}/s; ${cpu}`,
  })
  const tookMs = await load.arrive(workload, most * 0.8, durationMs)
  report({
    bar: 'POST invoice, p99 at 80 %',
    must: { atMost: 40 },
    measured: percentile(tookMs, 0.99),
    unit: 'ms',
    remark: `${figure(most * 0.8)}/s: ${spreadOf(tookMs, 'ms')}`,
  })
}

/** Returns the script of the reference, which only inserts one row. */
function insertScript(merchantId: string): string {
  const columns =
    'id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, description, expires_at'
  const description = `'Order ' || :n::text || ' for Ada Lovelace, lamp'`
  return `\\set n random(1, 1000000000)
insert into invoice (${columns}) values (gen_random_uuid(), '${merchantId}', 'onetime', '19.99', 1999000000, 1, '{1}', ${description}, now() + interval '1 hour') on conflict do nothing returning id;
`
}

/**
 * Measures rounds of calls that assign addresses. Each round makes half as many calls as the pool of prepared
 * addresses has rows, and starts only when the pool is full. The derivation of addresses is therefore not
 * measured.
 */
export async function measureAddresses(parts: InvoicesParts, report: Report): Promise<void> {
  const { load, db, rounds } = parts
  const calls = limits.addressPoolRows / 2
  const ids = await openInvoices(parts, calls * (rounds + 1))
  const workload: Workload = (index) => ({
    method: 'GET',
    path: `/public/invoices/${required(ids[index % ids.length], 'an invoice')}/method/1/address`,
  })
  const rates: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    await untilPoolIsFull(db)
    await takePrices(db)
    rates.push(await load.ask(workload, round * calls, calls))
  }
  // The first round only warms up and does not count.
  const measured = rates.slice(1)
  report({
    bar: 'address, first call, from the pool',
    must: { atLeast: 1_000 },
    measured: median(measured),
    unit: 'addresses/s',
    remark: `${calls} concurrent; ${measured.map(figure).join(', ')}`,
  })
  await takePrices(db)
  const { perSecond: again, cpu } = await mostAnswers(parts, workload, parts.durationMs)
  report({ bar: 'address, called again', measured: again, unit: 'addresses/s', remark: cpu })
}

async function openInvoices({ db, merchant }: InvoicesParts, count: number): Promise<readonly string[]> {
  const invoices = Array.from(
    { length: count },
    (): NewInvoice => ({
      id: newId(),
      merchantId: merchant.merchantId,
      type: 'onetime',
      amount: '10',
      amountUsd: 1_000_000_000n,
      paymentMethodIds: [1],
      description: undefined,
      reference: undefined,
      redirectUrl: undefined,
      lifetimeMinutes: 24 * 60,
      collectState: undefined,
      claimHash: undefined,
    }),
  )
  return [...(await insertInvoices(db, invoices))]
}

/**
 * Waits until the pool of prepared addresses is full. The pool counts as full if its size stays the same for
 * longer than any pause of the worker that fills it.
 */
async function untilPoolIsFull(db: Db): Promise<void> {
  let free = -1
  for (;;) {
    const [row] = await db.query<{ free: number }>({
      text: 'select count(*) as free from address where assigned_at is null',
      values: [],
    })
    if (row !== undefined && row.free === free && free >= limits.addressPoolRows / 2) return
    free = row?.free ?? -1
    await sleep(2_500)
  }
}

async function takePrices(db: Db): Promise<void> {
  const prices = [...fixedReadings(['USDT', 'USDC', 'ETH'])].map(([symbol, readings]) => ({
    symbol,
    priceUsd: required(readings[0], 'a fixed price').priceUsd,
    sources: readings,
  }))
  await saveRates(db, prices)
}
