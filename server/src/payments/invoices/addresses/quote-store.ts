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

/** Stores a quote with the rate from which it was computed. */
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

/** Returns SQL for the values of a quote's row, in the order of `quoteColumns`. */
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

/** An invoice, a payment method, and a time for which their quote is needed. */
export interface QuoteParams {
  readonly invoiceId: string
  readonly paymentMethodId: number
  readonly at: Date
}

/**
 * Returns the quotes that may decide the price at the given times, oldest first. For each request, these are
 * the first quote, the newest quote that was valid at the time, and the last quote. Other quotes are not
 * read, because a reusable invoice may have any number of quotes.
 */
export async function readQuotes(
  on: Queryable,
  params: readonly QuoteParams[],
): Promise<readonly MacedQuote[]> {
  const own = sql`quote.invoice_id = request.invoice_id and quote.payment_method_id = request.payment_method_id`
  const rows = await on.query<QuoteRow>(
    named(
      'read-quotes',
      sql`
      select distinct on (quoted_at, id)
        id, found.invoice_id, found.payment_method_id, price, full_minor, quoted_at, expires_at, mac
      from unnest(
        ${params.map(({ invoiceId }) => invoiceId)}::uuid[],
        ${params.map(({ paymentMethodId }) => paymentMethodId)}::integer[],
        ${params.map(({ at }) => at)}::timestamptz[]
      ) as request (invoice_id, payment_method_id, at)
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

/** A quote, and the fields of its invoice that the MAC of the quote covers. */
export interface QuoteOfInvoice {
  readonly quote: MacedQuote
  readonly invoice: Pick<Invoice, 'merchantId' | 'amountUsd'>
}

/** Returns at most `rowsMax` quotes with ids above `after`, in the order of ids. */
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
