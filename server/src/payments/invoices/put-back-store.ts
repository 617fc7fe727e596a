import sql from 'sql-template-tag'
import { macsOf, one } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assignmentMac } from './addresses/assignment-mac.ts'
import { quoteColumns, quoteValues } from './addresses/quote-store.ts'
import type { GivenAddress, MadeDecision, PromisedQuote, StoredInvoice } from './invoice-facts.ts'
import { termsMac } from './terms/terms-mac.ts'

export interface PutBackRow {
  /** Null if the invoice has no reference, or if another invoice of the merchant has the reference now. */
  readonly reference: string | null
}

/**
 * Stores an invoice again as it was when it was created. If another invoice has the reference now, this
 * invoice is stored without a reference.
 * @returns undefined if the invoice exists, or if its merchant does not exist
 */
export async function insertLostInvoice(tx: Tx, invoice: StoredInvoice): Promise<PutBackRow | undefined> {
  // Another transaction may be storing the same reference. The first attempt waits until that transaction
  // ends. The second attempt then sees the invoice of that transaction.
  return (await tryInsert(tx, invoice)) ?? (await tryInsert(tx, invoice))
}

function tryInsert(tx: Tx, invoice: StoredInvoice): Promise<PutBackRow | undefined> {
  const { merchantId, reference = null, rules } = invoice
  return one<PutBackRow>(
    tx,
    sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, description,
                         reference, redirect_url, collect_state, created_at, expires_at, paid_when, tolerance_basis_points,
                         terms_mac)
    select ${invoice.id}::uuid, merchant.id, ${invoice.type}, ${invoice.amount}, ${invoice.amountUsd.toString()}::numeric,
      ${invoice.paymentMethodIds[0]}::integer, ${[...invoice.paymentMethodIds]}::integer[],
      ${invoice.description ?? null},
      case when exists (
        select from invoice other
        where other.merchant_id = merchant.id and other.reference = ${reference} and other.deleted_at is null
      ) then null else ${reference} end,
      ${invoice.redirectUrl ?? null}, ${invoice.collectState ?? null}, ${invoice.createdAt}::timestamptz,
      ${invoice.expiresAt ?? null}::timestamptz, ${rules.paidWhen}, ${rules.toleranceBasisPoints}::integer,
      ${termsMac(macsOf(tx), invoice)}::text
    from merchant where merchant.id = ${merchantId}
    on conflict do nothing
    returning reference`,
  )
}

/**
 * Assigns an address to its invoice again. The address itself must already be stored. Returns false if the
 * address is assigned to another invoice, or if the invoice has another address for the method.
 */
export async function assignLostAddress(
  tx: Tx,
  { derived, assignment }: GivenAddress,
  assignedAt: Date,
): Promise<boolean> {
  const { invoiceId, merchantId, paymentMethodId, network } = assignment
  const rows = await tx.query(sql`
    update address
    set network = ${network}, merchant_id = ${merchantId}, invoice_id = ${invoiceId},
        payment_method_id = ${paymentMethodId}, assigned_at = ${assignedAt},
        assignment_mac = ${assignmentMac(macsOf(tx), derived, assignment)}
    where family = ${derived.family} and address = ${derived.address} and branch = ${derived.branch} and index = ${derived.index}
      and assigned_at is null
      and not exists (
        select from address other where other.invoice_id = ${invoiceId} and other.payment_method_id = ${paymentMethodId})
    returning 1`)
  return rows.length === 1
}

/**
 * Returns whether an invoice is already deleted if `action` is a deletion, or already closed if `action` is a
 * closing.
 */
export async function isDecided(
  tx: Tx,
  { invoiceId, action }: Pick<MadeDecision, 'invoiceId' | 'action'>,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from invoice
    where id = ${invoiceId}
      and case ${action}::text when 'invoice.closed' then closed_at else deleted_at end is not null`)
  return rows.length === 1
}

/** Stores a quote again. Returns false if the quote is already stored. */
export async function insertLostQuote(tx: Tx, { quote, rate }: PromisedQuote): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into quote (${quoteColumns})
    select ${quoteValues(quote, rate)}
    on conflict do nothing
    returning 1`)
  return rows.length === 1
}
