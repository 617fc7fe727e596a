import type { RememberedFact } from '../../core/committed-facts.ts'
import { lockDeleted } from '../../merchants/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import { insertLostAddresses, insertLostBranches } from './addresses/recover-store.ts'
import { bury, close } from './decision-store.ts'
import type { GivenAddress, MadeDecision, PromisedQuote, StoredInvoice } from './invoice-facts.ts'
import { assignLostAddress, insertLostInvoice, insertLostQuote, isDecided } from './put-back-store.ts'
import { type SettleInvoicesParts, settleInvoices } from './settle-invoices.ts'
import { lockAnyInvoice } from './store.ts'

/** The facts about one invoice that a process remembers but the database has lost. */
export interface LostInvoice {
  readonly invoiceId: string
  readonly merchantId: string
  /** Undefined if the invoice itself was not lost, or if another process created the invoice. */
  readonly invoice: RememberedFact<StoredInvoice> | undefined
  readonly addresses: readonly RememberedFact<GivenAddress>[]
  readonly quotes: readonly RememberedFact<PromisedQuote>[]
  /** The merchant's decisions about the invoice. */
  readonly decisions: readonly RememberedFact<MadeDecision>[]
}

export interface PutBackParts {
  /** The number of the incarnation that began when the database lost data. */
  readonly incarnation: number
  /** The fingerprints of this process's account xpubs, by address family. */
  readonly fingerprints: ReadonlyMap<string, string>
  readonly settling: SettleInvoicesParts
  /**
   * Returns whether any process has restored the invoice in this incarnation. The function is called while the
   * invoice's row is locked.
   */
  readonly isPutBack: (tx: Tx, invoiceId: string) => Promise<boolean>
}

/** The ids of the lost facts (invoice, addresses, quotes, decisions) that the database contains again. */
export type PutBack = ReadonlySet<string>

/**
 * Restores an acknowledged invoice under its own id, with its addresses and quotes. This is needed because a
 * payer may still pay to an address that was shown. Existing rows stay unchanged. The function may therefore
 * run twice, and also after later changes of the invoice.
 * @returns the ids of the facts that the database contains again; undefined if the invoice could not be
 *   restored
 */
export async function putBackInvoice(
  parts: PutBackParts,
  tx: Tx,
  lost: LostInvoice,
): Promise<PutBack | undefined> {
  const { invoiceId, merchantId } = lost
  // The merchant must not be deleted or restored meanwhile. Invoices of a deleted merchant are restored too,
  // because the merchant may be restored later.
  await lockDeleted(tx, [merchantId])
  const row = lost.invoice && (await insertLostInvoice(tx, lost.invoice.content))
  if (!(await lockAnyInvoice(tx, invoiceId))) return undefined
  const back = new Set<string>()
  if (row !== undefined) back.add(invoiceId)
  for (const fact of lost.addresses) if (await putBackAddress(parts, tx, fact)) back.add(fact.id)
  for (const { id, content } of lost.quotes) if (await insertLostQuote(tx, content)) back.add(id)
  if (row !== undefined) {
    const reference = lost.invoice?.content.reference
    const isReferenceTaken = reference !== undefined && row.reference === null
    await audit(parts, tx, lost, isReferenceTaken ? { referenceTakenSince: reference } : {})
  } else if (back.size > 0) await audit(parts, tx, lost, {})
  // The process that created the invoice restores it as it was created. Another process may have made a later
  // decision about the invoice. That process repeats its decision when it calls this function.
  if (row !== undefined || (await parts.isPutBack(tx, invoiceId)))
    for (const decision of lost.decisions) if (await decideAgain(parts, tx, decision)) back.add(decision.id)
  return back
}

async function putBackAddress(
  { fingerprints }: PutBackParts,
  tx: Tx,
  { content, rememberedAt }: RememberedFact<GivenAddress>,
): Promise<boolean> {
  const { derived } = content
  const { family, branch } = derived
  const fingerprint = fingerprints.get(family)
  if (fingerprint === undefined) return false
  await insertLostBranches(tx, { family, fingerprint, from: branch, to: branch })
  await insertLostAddresses(tx, [derived])
  return assignLostAddress(tx, content, rememberedAt)
}

/**
 * Returns whether a decision must be repeated after the database has lost it. Deletion and closing are
 * repeated, because the invoice must not be open again. Acceptance is not repeated, because lost deposits are
 * recorded again under other ids.
 */
export function isDecidedAgain({ action }: MadeDecision): boolean {
  return action !== 'invoice.accepted'
}

/**
 * Repeats a decision that the database has lost. Changes nothing if the merchant already made the same
 * decision after the restoration. Returns false if decisions of this kind are not repeated.
 */
async function decideAgain(
  { settling }: PutBackParts,
  tx: Tx,
  { merchantId, content }: RememberedFact<MadeDecision>,
): Promise<boolean> {
  const { invoiceId, action } = content
  if (!isDecidedAgain(content) || merchantId === undefined) return false
  if (await isDecided(tx, content)) return true
  await (action === 'invoice.deleted' ? bury : close)(tx, invoiceId)
  await appendEvents(tx, await settleInvoices(settling, tx, [invoiceId]))
  await recordAudit(tx, { merchantId, action, subject: invoiceId, details: { after: 'a loss' } })
  return true
}

function audit(
  { incarnation }: PutBackParts,
  tx: Tx,
  { invoiceId, merchantId }: LostInvoice,
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const details = { reason: 'restored after a loss', incarnation, ...more }
  return recordAudit(tx, { merchantId, action: 'invoice.restored', subject: invoiceId, details })
}
