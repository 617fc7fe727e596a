import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { Rate } from '../rates/rate.ts'
import { toStoredReading } from '../rates/store.ts'
import type { Invoice, InvoiceException, InvoiceState, InvoiceType, PaymentRules } from './invoice.ts'
import type { Quote } from './quote.ts'

export interface InvoiceRow {
  readonly id: string
  readonly merchant_id: string
  readonly type: InvoiceType
  readonly state: InvoiceState
  readonly exceptions: InvoiceException[]
  readonly amount: string
  readonly amount_usd: string
  readonly payment_method_id: number
  readonly payment_method_ids: number[]
  readonly description: string | null
  readonly reference: string | null
  readonly aml_ok: boolean
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly paid_at: Date | null
  readonly paid_periods: number
}

export const invoiceColumns = sql`invoice.id, merchant_id, type, state, exceptions, amount, amount_usd, payment_method_id,
  payment_method_ids, description, reference, aml_ok, invoice.created_at, expires_at, paid_at, paid_periods`

/** What a new invoice is made of; the database gives it its time. */
export interface NewInvoice {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  readonly amount: string
  readonly amountUsd: bigint
  readonly paymentMethodIds: readonly number[]
  readonly description: string | undefined
  readonly reference: string | undefined
  readonly lifeMinutes: number | undefined
}

/** Stores a new invoice; false when the merchant has used its reference before. */
export async function insertInvoice(on: Queryable, invoice: NewInvoice): Promise<boolean> {
  const rows = await on.query(
    named(
      'insert-invoice',
      sql`
      insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids,
                           description, reference, expires_at)
      values (${invoice.id}, ${invoice.merchantId}, ${invoice.type}, ${invoice.amount},
              ${invoice.amountUsd.toString()}, ${invoice.paymentMethodIds[0]}, ${[...invoice.paymentMethodIds]},
              ${invoice.description ?? null}, ${invoice.reference ?? null},
              now() + ${invoice.lifeMinutes ?? null}::integer * interval '1 minute')
      on conflict on constraint invoice_reference_unique do nothing
      returning id`,
    ),
  )
  return rows.length === 1
}

export async function findByReference(
  on: Queryable,
  merchantId: string,
  reference: string,
): Promise<Invoice | undefined> {
  const row = await one<InvoiceRow>(
    on,
    sql`select ${invoiceColumns} from invoice where merchant_id = ${merchantId} and reference = ${reference}`,
  )
  return row === undefined ? undefined : toInvoice(row)
}

/** An invoice as its rules need it: with its merchant's payment rules and the database's time. */
export interface InvoiceInContext {
  readonly invoice: Invoice
  readonly rules: PaymentRules
  readonly now: Date
}

type ContextRow = InvoiceRow & { paid_when: PaymentRules['paidWhen']; tolerance: number; now: Date }

const inContext = sql`select ${invoiceColumns}, merchant.paid_when,
    merchant.tolerance_basis_points as tolerance, now()::timestamptz(3) as now
  from invoice join merchant on merchant.id = invoice.merchant_id`

/** An invoice that neither was deleted nor belongs to a deleted merchant. */
export async function findInvoice(on: Queryable, id: string): Promise<InvoiceInContext | undefined> {
  const row = await one<ContextRow>(
    on,
    named(
      'find-invoice',
      sql`${inContext} where invoice.id = ${id} and invoice.deleted_at is null and merchant.deleted_at is null`,
    ),
  )
  return row === undefined ? undefined : toContext(row)
}

/** As `findInvoice`, holding the invoice's row lock: nobody else gives it an address or changes its state. */
export async function lockInvoice(tx: Tx, id: string): Promise<InvoiceInContext | undefined> {
  const row = await one<ContextRow>(
    tx,
    named(
      'lock-invoice',
      sql`${inContext} where invoice.id = ${id} and invoice.deleted_at is null and merchant.deleted_at is null
          for update of invoice`,
    ),
  )
  return row === undefined ? undefined : toContext(row)
}

/** Locks invoices, deleted ones too, in the order of their ids, which every locker of several keeps to. */
export async function lockInvoices(tx: Tx, ids: readonly string[]): Promise<readonly InvoiceInContext[]> {
  const rows = await tx.query<ContextRow>(
    named(
      'lock-invoices',
      sql`${inContext} where invoice.id = any(${[...ids]}) order by invoice.id for update of invoice`,
    ),
  )
  return rows.map(toContext)
}

/** How a network's blocks have been booked, for expiry: nothing mined before `bookedUntil` is missing. */
export interface BookedUntil {
  readonly paymentMethodId: number
  readonly bookedUntil: Date
}

/**
 * Locks pending invoices whose time is over and of whose networks every block mined in that time is booked. One with
 * a payment in time that is in a block and waits for confirmation is not over yet.
 */
export async function lockExpired(
  tx: Tx,
  booked: readonly BookedUntil[],
  rows: number,
): Promise<readonly string[]> {
  const latest = new Date(Math.max(0, ...booked.map(({ bookedUntil }) => bookedUntil.getTime())))
  const found = await tx.query<{ id: string }>(sql`
    with booked as (
      select * from jsonb_to_recordset(${JSON.stringify(booked)}::jsonb)
        as booked ("paymentMethodId" integer, "bookedUntil" timestamptz)
    )
    select invoice.id from invoice
    where state = 'pending' and expires_at <= least(now(), ${latest}) and not exists (
      select from unnest(payment_method_ids) method (id)
      left join booked on booked."paymentMethodId" = method.id
      where booked."bookedUntil" is null or booked."bookedUntil" < invoice.expires_at)
    and not exists (
      select from transaction
      where transaction.invoice_id = invoice.id and transaction.state = 'pending'
        and transaction.block_height is not null and transaction.in_time_at < invoice.expires_at)
    order by expires_at limit ${rows}
    for update of invoice skip locked`)
  return found.map(({ id }) => id)
}

/** A new standing of an invoice, as it is stored. */
export interface StandingRow {
  readonly id: string
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  readonly paidPeriods: number
  readonly paidAt: Date | undefined
}

export async function saveStandings(tx: Tx, standings: readonly StandingRow[]): Promise<void> {
  await tx.query(
    named(
      'save-standings',
      sql`
      update invoice
      set state = standing.state, exceptions = standing.exceptions, paid_periods = standing."paidPeriods",
          paid_at = standing."paidAt"
      from jsonb_to_recordset(${JSON.stringify(standings)}::jsonb)
        as standing (id uuid, state text, exceptions text[], "paidPeriods" integer, "paidAt" timestamptz)
      where invoice.id = standing.id`,
    ),
  )
}

/** Stores a quote with the rate it was made from. */
export async function insertQuote(tx: Tx, quote: Quote, rate: Rate): Promise<void> {
  await tx.query(
    named(
      'insert-quote',
      sql`
      insert into quote (id, invoice_id, payment_method_id, price, price_taken_at, sources, full_minor,
                         quoted_at, expires_at)
      values (${quote.id}, ${quote.invoiceId}, ${quote.paymentMethodId}, ${quote.priceUsd.toString()},
              ${rate.takenAt}, ${JSON.stringify(rate.sources.map(toStoredReading))}, ${quote.fullMinor.toString()},
              ${quote.quotedAt}, ${quote.expiresAt})`,
    ),
  )
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

function toContext(row: ContextRow): InvoiceInContext {
  return {
    invoice: toInvoice(row),
    rules: { paidWhen: row.paid_when, toleranceBasisPoints: row.tolerance },
    now: row.now,
  }
}

export function toInvoice(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    type: row.type,
    state: row.state,
    exceptions: row.exceptions,
    amount: row.amount,
    amountUsd: BigInt(row.amount_usd),
    paymentMethodId: row.payment_method_id,
    paymentMethodIds: row.payment_method_ids,
    description: row.description ?? undefined,
    reference: row.reference ?? undefined,
    amlOk: row.aml_ok,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    paidAt: row.paid_at ?? undefined,
    paidPeriods: row.paid_periods,
  }
}
