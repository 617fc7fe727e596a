import sql from 'sql-template-tag'
import { macsOf, one } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assignmentMac } from './addresses/assignment-mac.ts'
import { quoteColumns, quoteValues } from './addresses/quote-store.ts'
import type { GivenAddress, MadeDecision, PromisedQuote, StoredInvoice } from './invoice-facts.ts'

export interface PutBackRow {
  /** Null where another invoice of the merchant has it by now. */
  readonly reference: string | null
}

/**
 * Stores an invoice again as it was when it was made; undefined where it is there, or its merchant is not. A reference that
 * another invoice has by now stays with that one.
 */
export async function insertLostInvoice(tx: Tx, invoice: StoredInvoice): Promise<PutBackRow | undefined> {
  // Another transaction may be storing the same reference. The first statement waits for it to end, the second one sees its invoice.
  return (await tryInsert(tx, invoice)) ?? (await tryInsert(tx, invoice))
}

function tryInsert(tx: Tx, invoice: StoredInvoice): Promise<PutBackRow | undefined> {
  const { merchantId, reference = null, rules } = invoice
  return one<PutBackRow>(
    tx,
    sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids, description,
                         reference, redirect_url, collect_state, created_at, expires_at, paid_when, tolerance_basis_points)
    select ${invoice.id}::uuid, merchant.id, ${invoice.type}, ${invoice.amount}, ${invoice.amountUsd.toString()}::numeric,
      ${invoice.paymentMethodIds[0]}::integer, ${[...invoice.paymentMethodIds]}::integer[],
      ${invoice.description ?? null},
      case when exists (
        select from invoice other
        where other.merchant_id = merchant.id and other.reference = ${reference} and other.deleted_at is null
      ) then null else ${reference} end,
      ${invoice.redirectUrl ?? null}, ${invoice.collectState ?? null}, ${invoice.createdAt}::timestamptz,
      ${invoice.expiresAt ?? null}::timestamptz, ${rules.paidWhen}, ${rules.toleranceBasisPoints}::integer
    from merchant where merchant.id = ${merchantId}
    on conflict do nothing
    returning reference`,
  )
}

/**
 * Gives an address to its invoice again; false where somebody else has the address, or the invoice another one for the
 * method. The address itself must be stored.
 */
export async function assignLostAddress(
  tx: Tx,
  { place, assignment }: GivenAddress,
  assignedAt: Date,
): Promise<boolean> {
  const { invoiceId, merchantId, paymentMethodId, network } = assignment
  const rows = await tx.query(sql`
    update address
    set network = ${network}, merchant_id = ${merchantId}, invoice_id = ${invoiceId},
        payment_method_id = ${paymentMethodId}, assigned_at = ${assignedAt},
        assignment_mac = ${assignmentMac(macsOf(tx), place, assignment)}
    where family = ${place.family} and address = ${place.address} and branch = ${place.branch} and index = ${place.index}
      and assigned_at is null
      and not exists (
        select from address other where other.invoice_id = ${invoiceId} and other.payment_method_id = ${paymentMethodId})
    returning 1`)
  return rows.length === 1
}

/** Whether an invoice is deleted, or closed, as its merchant decided. */
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

/** Promises a price again; false where the promise is there. */
export async function insertLostQuote(tx: Tx, { quote, rate }: PromisedQuote): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into quote (${quoteColumns})
    select ${quoteValues(quote, rate)}
    on conflict do nothing
    returning 1`)
  return rows.length === 1
}
