import sql, { type Sql } from 'sql-template-tag'
import { named, type Queryable } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Rate } from '../../rates/rate.ts'
import { toStoredReading } from '../../rates/store.ts'
import type { Quote } from './quote.ts'

export const quoteColumns = sql`id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor,
  quoted_at, expires_at`

/** Stores a quote with the rate it was made from. */
export async function insertQuote(tx: Tx, quote: Quote, rate: Rate): Promise<void> {
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
export function quoteValues(quote: Quote, rate: Rate): Sql {
  const sources = JSON.stringify(rate.sources.map(toStoredReading))
  return sql`${quote.id}::uuid, ${quote.invoiceId}::uuid, ${quote.paymentMethodId}::integer,
    ${quote.priceUsd.toString()}::numeric, ${rate.takenAt}::timestamptz, ${sources}::jsonb,
    ${quote.fullMinor.toString()}::numeric, ${quote.quotedAt}::timestamptz, ${quote.expiresAt}::timestamptz`
}

interface QuoteRow {
  readonly id: string
  readonly invoice_id: string
  readonly payment_method_id: number
  readonly price: string
  readonly full_minor: string
  readonly quoted_at: Date
  readonly expires_at: Date
}

/** All quotes of some invoices, oldest first. */
export async function readQuotes(on: Queryable, invoiceIds: readonly string[]): Promise<readonly Quote[]> {
  const rows = await on.query<QuoteRow>(
    named(
      'read-quotes',
      sql`select id, invoice_id, payment_method_id, price, full_minor, quoted_at, expires_at
          from quote where invoice_id = any(${[...invoiceIds]}) order by quoted_at, id`,
    ),
  )
  return rows.map((row) => ({
    id: row.id,
    invoiceId: row.invoice_id,
    paymentMethodId: row.payment_method_id,
    priceUsd: BigInt(row.price),
    fullMinor: BigInt(row.full_minor),
    quotedAt: row.quoted_at,
    expiresAt: row.expires_at,
  }))
}
