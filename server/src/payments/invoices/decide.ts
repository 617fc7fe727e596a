import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { Caller } from '../../platform/http/auth.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { Invoice } from './invoice.ts'
import { decisionFacts, type MadeDecision } from './invoice-facts.ts'
import { type SettleInvoicesParts, settleInvoices } from './settle-invoices.ts'
import { findInvoice, type InvoiceInContext, lockInvoice } from './store.ts'

export interface DecideParts extends SettleInvoicesParts {
  readonly db: Db
}

/** A merchant's decision: who decides, and about which invoice. */
export interface Decision {
  readonly caller: Caller
  readonly merchantId: string
  readonly invoiceId: string
}

/**
 * Runs a merchant's decision in one transaction that holds the invoice's lock.
 * @throws Problem not-found if the invoice does not exist or belongs to another merchant
 */
export function decide<T>(
  { db }: DecideParts,
  { merchantId, invoiceId }: Decision,
  work: (tx: Tx, context: InvoiceInContext) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    const context = await lockInvoice(tx, invoiceId)
    if (context?.invoice.merchantId !== merchantId) throw fail('not-found', 'No such invoice.')
    return work(tx, context)
  })
}

/**
 * Derives the invoice's status again after a merchant's decision, and appends the events about changes of the
 * status. Returns the invoice in its new state.
 */
export async function settleDecided(
  parts: DecideParts,
  tx: Tx,
  { invoice }: InvoiceInContext,
): Promise<Invoice> {
  await appendEvents(tx, await settleInvoices(parts, tx, [invoice.id]))
  return (await findInvoice(tx, invoice.id))?.invoice ?? invoice
}

export function auditDecision(
  tx: Tx,
  { caller, merchantId, invoiceId }: Decision,
  action: MadeDecision['action'],
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  tx.facts?.note(decisionFacts, { id: `${action} ${invoiceId}`, merchantId, content: { invoiceId, action } })
  const who = caller.type === 'account' ? { accountId: caller.accountId } : {}
  return recordAudit(tx, { ...who, merchantId, action, subject: invoiceId, details })
}
