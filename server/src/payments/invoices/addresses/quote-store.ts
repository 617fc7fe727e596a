import sql, { type Sql } from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Rate } from '../../../pricing/rates/rate.ts'
import { toStoredReading } from '../../../pricing/rates/store.ts'
import type { Invoice } from '../invoice.ts'
import { quoteMinutesMax } from './quote.ts'
import type { MacedQuote } from './quote-mac.ts'

export const quoteColumns = sql`id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor,
  quoted_at, expires_at, mac`

/** Stores a quote with the rate it was made from. */
export async function insertQuote(tx: Tx, quote: MacedQuote, rate: Rate): Promise<void> {
  await tx.query(
    named(
      'insert-quote',
      sql`
      insert into quote (${quoteColumns})
      select ${quoteValues(quote, rate)}`,
    ),
  )
}

/** What a quote's row holds, in the order of `quoteColumns`. */
export function quoteValues(quote: MacedQuote, rate: Rate): Sql {
  const sources = JSON.stringify(rate.sources.map(toStoredReading))
  return sql`${quote.id}::uuid, ${quote.invoiceId}::uuid, ${quote.paymentMethodId}::integer,
    ${quote.priceUsd.toString()}::numeric, ${rate.takenAt}::timestamptz, ${sources}::jsonb,
    ${quote.fullMinor.toString()}::numeric, ${quote.quotedAt}::timestamptz, ${quote.expiresAt}::timestamptz,
    ${quote.mac}::text`
}

interface QuoteRow {
  readonly id: string
  readonly invoice_id: string
  readonly payment_method_id: number
  readonly price: string
  readonly full_minor: string
  readonly quoted_at: Date
  readonly expires_at: Date
  readonly mac: string
}

/** A moment at which the price of an invoice in one method is asked for. */
export interface QuoteWish {
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly at: Date
}

/**
 * The quotes that decide at some moments, oldest first: of each invoice and method the first, the newest one open then,
 * and the last. A reusable invoice may have had any number of others.
 */
export async function readQuotes(
  on: Queryable,
  wishes: readonly QuoteWish[],
): Promise<readonly MacedQuote[]> {
  const own = sql`quote.invoice_id = wish.invoice_id and quote.payment_method_id = wish.payment_method_id`
  const rows = await on.query<QuoteRow>(
    named(
      'read-quotes',
      sql`
      select distinct on (quoted_at, id)
        id, found.invoice_id, found.payment_method_id, price, full_minor, quoted_at, expires_at, mac
      from unnest(
        ${wishes.map(({ invoiceId }) => invoiceId)}::uuid[],
        ${wishes.map(({ paymentMethodId }) => paymentMethodId)}::integer[],
        ${wishes.map(({ at }) => at)}::timestamptz[]
      ) as wish (invoice_id, payment_method_id, at)
      cross join lateral (
        (select * from quote where ${own} order by quoted_at, id limit 1)
        union all
        (select * from quote where ${own} and quoted_at <= at and expires_at > at
           and quoted_at > at - ${quoteMinutesMax} * interval '1 minute'
         order by quoted_at desc, id desc limit 1)
        union all
        (select * from quote where ${own} order by quoted_at desc, id desc limit 1)
      ) found
      order by quoted_at, id`,
    ),
  )
  return rows.map(toQuote)
}

/** A quote with what its MAC covers of its invoice. */
export interface QuoteOfInvoice {
  readonly quote: MacedQuote
  readonly invoice: Pick<Invoice, 'merchantId' | 'amountUsd'>
}

/** The next quotes after one, in the order of their ids. */
export async function readQuotesAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly QuoteOfInvoice[]> {
  const rows = await on.query<QuoteRow & { merchant_id: string; amount_usd: string }>(sql`
    select quote.id, invoice_id, quote.payment_method_id, price, full_minor, quoted_at, quote.expires_at, quote.mac,
      merchant_id, amount_usd::text
    from quote join invoice on invoice.id = quote.invoice_id
    where quote.id > ${after} order by quote.id limit ${rowsMax}`)
  return rows.map((row) => ({
    quote: toQuote(row),
    invoice: { merchantId: row.merchant_id, amountUsd: BigInt(row.amount_usd) },
  }))
}

function toQuote(row: QuoteRow): MacedQuote {
  return {
    id: row.id,
    invoiceId: row.invoice_id,
    paymentMethodId: row.payment_method_id,
    priceUsd: BigInt(row.price),
    fullMinor: BigInt(row.full_minor),
    quotedAt: row.quoted_at,
    expiresAt: row.expires_at,
    mac: row.mac,
  }
}
