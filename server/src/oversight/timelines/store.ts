import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { DeliveryFacts, EventFacts, InvoiceFacts, PaymentFacts, QuoteFacts } from './timeline.ts'

export function findInvoice(
  on: Queryable,
  merchantId: string,
  invoiceId: string,
): Promise<InvoiceFacts | undefined> {
  return one<InvoiceFacts>(
    on,
    sql`
      select type, created_at as "createdAt", state, paid_at as "paidAt", paid_periods as "paidPeriods",
        expires_at as "expiresAt", accepted_at as "acceptedAt", closed_at as "closedAt"
      from invoice where id = ${invoiceId} and merchant_id = ${merchantId} and deleted_at is null`,
  )
}

/** Returns the newest quotes of an invoice, at most `rows` of them. */
export async function readQuotes(
  on: Queryable,
  invoiceId: string,
  rows: number,
): Promise<readonly QuoteFacts[]> {
  const quotes = await on.query<Omit<QuoteFacts, 'fullMinor'> & { fullMinor: string }>(sql`
    select payment_method_id as "paymentMethodId", full_minor::text as "fullMinor", quoted_at as "quotedAt",
      expires_at as "expiresAt"
    from quote where invoice_id = ${invoiceId} order by quoted_at desc, id desc limit ${rows}`)
  return quotes.map((quote) => ({ ...quote, fullMinor: BigInt(quote.fullMinor) }))
}

type PaymentRow = Omit<PaymentFacts, 'amountMinor' | 'netMinor' | 'feeMinor'> & {
  readonly amountMinor: string
  readonly netMinor: string | null
  readonly feeMinor: string | null
}

/** Returns the newest payments of an invoice, at most `rows` of them. */
export async function readPayments(
  on: Queryable,
  invoiceId: string,
  rows: number,
): Promise<readonly PaymentFacts[]> {
  const payments = await on.query<PaymentRow>(sql`
    select id, tx_hash as "txHash", transfer_key not like 'balance:%' as "isHash", payment_method_id as "paymentMethodId", amount_minor::text as "amountMinor",
      state, inclusion, failures, created_at as "createdAt", first_seen_at as "firstSeenAt",
      included_at as "includedAt", block_height as "blockHeight", confirmed_at as "confirmedAt", quarantine,
      net_minor::text as "netMinor", fee_minor::text as "feeMinor"
    from deposit where invoice_id = ${invoiceId} order by created_at desc, id desc limit ${rows}`)
  const minor = (text: string | null) => (text === null ? null : BigInt(text))
  return payments.map((row) => ({
    ...row,
    amountMinor: BigInt(row.amountMinor),
    netMinor: minor(row.netMinor),
    feeMinor: minor(row.feeMinor),
  }))
}

/** Returns the events with the given subjects (unique names), in the order of their sequence numbers. */
export function readEvents(
  on: Queryable,
  merchantId: string,
  subjects: readonly string[],
): Promise<readonly EventFacts[]> {
  return on.query<EventFacts>(sql`
    select type, subject, created_at as "createdAt" from event
    where subject = any(${subjects}::text[]) and merchant_id = ${merchantId} order by sequence`)
}

/** Returns the stored deliveries of the events with the given subjects (unique names). */
export function readDeliveries(
  on: Queryable,
  merchantId: string,
  subjects: readonly string[],
): Promise<readonly DeliveryFacts[]> {
  return on.query<DeliveryFacts>(sql`
    select delivery.id, event.type as "eventType", delivery.state, attempts, delivery.created_at as "createdAt",
      ended_at as "endedAt"
    from event join delivery on delivery.event_id = event.id
    where event.subject = any(${subjects}::text[]) and event.merchant_id = ${merchantId}
    order by event.sequence, delivery.created_at, delivery.id`)
}
