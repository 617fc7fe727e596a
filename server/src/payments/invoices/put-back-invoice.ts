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

/** What a process remembers of one invoice and the database has no more. */
export interface LostInvoice {
  readonly invoiceId: string
  readonly merchantId: string
  /** Undefined where the invoice itself was not lost, or another process made it. */
  readonly invoice: RememberedFact<StoredInvoice> | undefined
  readonly addresses: readonly RememberedFact<GivenAddress>[]
  readonly quotes: readonly RememberedFact<PromisedQuote>[]
  /** What its merchant decided about it since. */
  readonly decisions: readonly RememberedFact<MadeDecision>[]
}

export interface PutBackParts {
  /** The number of the incarnation that began with the loss. */
  readonly incarnation: number
  /** Of the account xpubs that this process has, by their families. */
  readonly fingerprints: ReadonlyMap<string, string>
  readonly settling: SettleInvoicesParts
  /** Whether any process put the invoice back after this loss; asked while its row is locked. */
  readonly isPutBack: (tx: Tx, invoiceId: string) => Promise<boolean>
}

/** What is there again, by the ids of the facts; undefined where the invoice is not there, so that nothing can be. */
export type PutBack = ReadonlySet<string>

/**
 * Puts back an invoice that was acknowledged, under its own id, with its addresses and prices: whoever was shown them pays for
 * it. Whatever is there stays as it is, so that this may run twice, and after anything that happened since.
 */
export async function putBackInvoice(
  parts: PutBackParts,
  tx: Tx,
  lost: LostInvoice,
): Promise<PutBack | undefined> {
  const { invoiceId, merchantId } = lost
  // A merchant that is deleted keeps its invoices, and what is paid to them waits for its return.
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
  // The process that made the invoice puts it back as it was made; what was decided since may be remembered by another one alone.
  if (row !== undefined || (await parts.isPutBack(tx, invoiceId)))
    for (const decision of lost.decisions) if (await decideAgain(parts, tx, decision)) back.add(decision.id)
  return back
}

async function putBackAddress(
  { fingerprints }: PutBackParts,
  tx: Tx,
  { content, rememberedAt }: RememberedFact<GivenAddress>,
): Promise<boolean> {
  const { place } = content
  const { family, branch } = place
  const fingerprint = fingerprints.get(family)
  if (fingerprint === undefined) return false
  await insertLostBranches(tx, { family, fingerprint, from: branch, to: branch })
  await insertLostAddresses(tx, [place])
  return assignLostAddress(tx, content, rememberedAt)
}

/** An invoice that its merchant deleted or closed must not come back to life. What was accepted are payments, which come again. */
export function isDecidedAgain({ action }: MadeDecision): boolean {
  return action !== 'invoice.accepted'
}

/** False where it is not decided again. Nothing changes where its merchant did so since the invoice was put back. */
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
