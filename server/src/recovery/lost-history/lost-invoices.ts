/** Groups by invoice the committed facts that the database has lost, and builds a record of each of them. */
import type { RememberedFact } from '../../core/committed-facts.ts'
import { groupBy } from '../../core/group-by.ts'
import { isDecidedAgain, type LostInvoice } from '../../payments/invoices/put-back-invoice.ts'
import type { WrittenEvent } from '../../platform/outbox/event-facts.ts'
import type { Lost } from './find-lost.ts'
import type { LostRecord } from './lost-record.ts'

/**
 * Returns true if an invoice may be restored. A `withdraw` invoice must not be restored: it pays money out,
 * and somebody may already have claimed the money.
 */
export function mayBePutBack({ invoice }: LostInvoice): boolean {
  return invoice?.content.type !== 'withdraw'
}

/**
 * Groups lost facts by invoice. Invoices that are lost themselves come first. Invoices that lost only
 * addresses, quotes or decisions follow.
 */
export function lostInvoicesOf(lost: Lost): readonly LostInvoice[] {
  const invoices = new Map(lost.invoices.map((fact) => [fact.id, fact]))
  const addresses = groupBy(lost.addresses, ({ content }) => content.assignment.invoiceId)
  const quotes = groupBy(lost.quotes, ({ content }) => content.quote.invoiceId)
  const decisions = groupBy(lost.decisions, ({ content }) => content.invoiceId)
  const merchants = new Map<string, string>()
  for (const { id, merchantId } of lost.invoices) if (merchantId !== undefined) merchants.set(id, merchantId)
  for (const { content } of lost.addresses)
    merchants.set(content.assignment.invoiceId, content.assignment.merchantId)
  for (const { merchantId, content } of lost.quotes)
    if (merchantId !== undefined) merchants.set(content.quote.invoiceId, merchantId)
  for (const { merchantId, content } of lost.decisions)
    if (merchantId !== undefined && isDecidedAgain(content)) merchants.set(content.invoiceId, merchantId)
  return [...merchants].map(([invoiceId, merchantId]) => ({
    invoiceId,
    merchantId,
    invoice: invoices.get(invoiceId),
    addresses: addresses.get(invoiceId) ?? [],
    quotes: quotes.get(invoiceId) ?? [],
    decisions: decisions.get(invoiceId) ?? [],
  }))
}

/** Returns a record for each lost fact. The record states whether the fact was restored. */
export function recordsOf(
  lost: Lost,
  isBack: (fact: RememberedFact<unknown>) => boolean,
): readonly LostRecord[] {
  const record = (kind: LostRecord['kind'], fact: RememberedFact<unknown>, detail: string): LostRecord => {
    const { id, merchantId, rememberedAt } = fact
    const outcome = isBack(fact) ? 'put-back' : 'named'
    return { kind, id, merchantId, committedAt: rememberedAt, outcome, detail }
  }
  return [
    ...lost.invoices.map((fact) =>
      record('invoice', fact, `type ${fact.content.type}, ${fact.content.amount} USD`),
    ),
    ...lost.addresses.map((fact) => {
      const { invoiceId, network } = fact.content.assignment
      return record('address', fact, `on ${network}, given to invoice ${invoiceId}`)
    }),
    ...lost.quotes.map((fact) => record('quote', fact, `for invoice ${fact.content.quote.invoiceId}`)),
    ...lost.decisions.map((fact) =>
      record('decision', fact, 'decided by the merchant; must be decided again'),
    ),
    ...lost.events.map((fact) => record('event', fact, eventDetail(fact.content))),
    ...lost.withdrawals.map((fact) => record('withdrawal', fact, orderDetail(fact.content.invoiceId))),
    ...lost.answers.map((fact) => record('idempotency-key', fact, `answer for ${fact.content.effectId}`)),
  ]
}

function eventDetail(event: WrittenEvent | 'delivered'): string {
  return event === 'delivered' ? 'delivered to the merchant' : `${event.type}, sequence ${event.sequence}`
}

function orderDetail(invoiceId: string | undefined): string {
  const by = invoiceId === undefined ? 'ordered by the merchant' : `claim of invoice ${invoiceId}`
  return `${by}; never restored; adopted from the signer’s log if it was signed`
}
