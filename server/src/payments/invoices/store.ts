import sql from 'sql-template-tag'
import { macsOf, named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { claimMac } from './claims/claim-mac.ts'
import type {
  CollectState,
  Invoice,
  InvoiceException,
  InvoiceState,
  InvoiceType,
  NewInvoice,
  PaymentRules,
} from './invoice.ts'
import { invoiceFacts } from './invoice-facts.ts'
import { termsMac } from './terms/terms-mac.ts'

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
  readonly redirect_url: string | null
  readonly aml_ok: boolean
  readonly collect_state: CollectState | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly paid_at: Date | null
  readonly paid_periods: number
  readonly archived_at: Date | null
  readonly deleted_at: Date | null
  readonly closed_at: Date | null
  readonly accepted_ids: string[]
  readonly claimed_at: Date | null
}

export const invoiceColumns = sql`invoice.id, merchant_id, type, state, exceptions, amount, amount_usd, payment_method_id,
  payment_method_ids, description, reference, redirect_url, aml_ok, collect_state, invoice.created_at, expires_at,
  paid_at, paid_periods, archived_at, invoice.deleted_at, closed_at, accepted_ids, claimed_at`

/**
 * Stores new invoices, except those whose id or reference is in use. Returns the stored ids. Rows are
 * inserted in the order of references, so that two concurrent inserts of the same references cannot deadlock.
 */
export async function insertInvoices(on: Queryable, invoices: readonly NewInvoice[]): Promise<Set<string>> {
  const column = <T>(read: (invoice: NewInvoice) => T) => invoices.map(read)
  const rows = await on.query<InsertedRow>(
    named(
      'insert-invoices',
      sql`
      insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids,
                           description, reference, redirect_url, collect_state, claim_hash, claim_mac, terms_mac, expires_at,
                           paid_when, tolerance_basis_points)
      select new.id, merchant_id, type, amount, amount_usd, (methods::integer[])[1], methods::integer[],
             description, reference, redirect_url, collect_state, claim_hash, claim_mac, terms_mac,
             coffer_now() + minutes * interval '1 minute',
             merchant.paid_when, merchant.tolerance_basis_points
      from unnest(
        ${column(({ id }) => id)}::uuid[],
        ${column(({ merchantId }) => merchantId)}::uuid[],
        ${column(({ type }) => type)}::text[],
        ${column(({ amount }) => amount)}::text[],
        ${column(({ amountUsd }) => amountUsd.toString())}::numeric[],
        ${column(({ paymentMethodIds }) => `{${paymentMethodIds}}`)}::text[],
        ${column(({ description }) => description ?? null)}::text[],
        ${column(({ reference }) => reference ?? null)}::text[],
        ${column(({ redirectUrl }) => redirectUrl ?? null)}::text[],
        ${column(({ collectState }) => collectState ?? null)}::text[],
        ${column((invoice) => invoice.claimHash ?? null)}::bytea[],
        ${column((invoice) => claimMacOf(on, invoice))}::text[],
        ${column((invoice) => termsMac(macsOf(on), invoice))}::text[],
        ${column(({ lifetimeMinutes }) => lifetimeMinutes ?? null)}::integer[]
      ) as new (id, merchant_id, type, amount, amount_usd, methods, description, reference, redirect_url,
                collect_state, claim_hash, claim_mac, terms_mac, minutes)
      join merchant on merchant.id = new.merchant_id
      order by reference, merchant_id, new.id
      on conflict do nothing
      returning id, created_at, expires_at, paid_when, tolerance_basis_points as tolerance`,
    ),
  )
  noteInserted(on, invoices, rows)
  return new Set(rows.map(({ id }) => id))
}

type InsertedRow = Pick<ContextRow, 'id' | 'created_at' | 'expires_at' | 'paid_when' | 'tolerance'>

function noteInserted(on: Queryable, invoices: readonly NewInvoice[], rows: readonly InsertedRow[]): void {
  if (on.facts === undefined) return
  const inserted = new Map(rows.map((row) => [row.id, row]))
  for (const invoice of invoices) {
    const row = inserted.get(invoice.id)
    if (row === undefined) continue
    const { id, merchantId, description = '', reference = '', redirectUrl = '' } = invoice
    const content = {
      ...invoice,
      createdAt: row.created_at,
      expiresAt: row.expires_at ?? undefined,
      rules: { paidWhen: row.paid_when, toleranceBasisPoints: row.tolerance },
    }
    const textBytes = 2 * (description.length + reference.length + redirectUrl.length)
    on.facts.note(invoiceFacts, { id, merchantId, content }, textBytes)
  }
}

/** @throws Error if the invoice has a claim, but the database handle has no keys of the books */
function claimMacOf(on: Queryable, { id, merchantId, amountUsd, claimHash }: NewInvoice): string | null {
  return claimHash === undefined
    ? null
    : claimMac(macsOf(on), { invoiceId: id, merchantId, amountUsd, claimHash })
}

/**
 * Returns the invoice that prevents a new invoice from being stored. The returned invoice has the same id, or
 * has the same reference and is not deleted.
 */
export async function findConflicting(
  on: Queryable,
  { id, merchantId, reference }: Pick<NewInvoice, 'id' | 'merchantId' | 'reference'>,
): Promise<Invoice | undefined> {
  const row = await one<InvoiceRow>(
    on,
    sql`select ${invoiceColumns} from invoice
        where merchant_id = ${merchantId}
          and (id = ${id} or (reference = ${reference ?? null} and deleted_at is null))
        order by id = ${id} desc limit 1`,
  )
  return row === undefined ? undefined : toInvoice(row)
}

/** An invoice with the payment rules that were agreed when it was created, and with the database's time. */
export interface InvoiceInContext {
  readonly invoice: Invoice
  readonly rules: PaymentRules
  readonly now: Date
}

export interface ContextRow extends InvoiceRow {
  readonly paid_when: PaymentRules['paidWhen']
  readonly tolerance: number
  readonly terms_mac: string | null
  readonly now: Date
}

export const inContext = sql`select ${invoiceColumns}, invoice.paid_when,
    invoice.tolerance_basis_points as tolerance, terms_mac, coffer_now()::timestamptz(3) as now
  from invoice join merchant on merchant.id = invoice.merchant_id`

/** Returns an invoice. Returns undefined if the invoice or its merchant does not exist or was deleted. */
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

/**
 * Returns an invoice and locks its row, so that nobody else assigns an address or changes the state. Returns
 * undefined if the invoice or its merchant was deleted.
 */
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

/**
 * Locks an invoice, even if the invoice or its merchant was deleted. Returns false if the invoice does not
 * exist.
 */
export async function lockAnyInvoice(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`select from invoice where id = ${id} for update`)
  return rows.length === 1
}

/**
 * Locks invoices, including deleted ones, in the order of their ids. All code that locks several invoices
 * uses this order, to avoid deadlocks.
 */
export async function lockInvoices(tx: Tx, ids: readonly string[]): Promise<readonly InvoiceInContext[]> {
  const rows = await tx.query<ContextRow>(
    named(
      'lock-invoices',
      sql`${inContext} where invoice.id = any(${[...ids]}) order by invoice.id for update of invoice`,
    ),
  )
  return rows.map(toContext)
}

/**
 * Locks invoices in the order of their ids, without reading them. The locks protect other rows that belong to
 * the invoices.
 */
export async function holdInvoices(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    named('hold-invoices', sql`select from invoice where id = any(${[...ids]}) order by id for update`),
  )
}

export function toContext(row: ContextRow): InvoiceInContext {
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
    redirectUrl: row.redirect_url ?? undefined,
    amlOk: row.aml_ok,
    collectState: row.collect_state ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    paidAt: row.paid_at ?? undefined,
    paidPeriods: row.paid_periods,
    archivedAt: row.archived_at ?? undefined,
    deletedAt: row.deleted_at ?? undefined,
    closedAt: row.closed_at ?? undefined,
    acceptedIds: row.accepted_ids,
    claimedAt: row.claimed_at ?? undefined,
  }
}
