import { fail } from '../../core/errors.ts'
import { auditDecision, type DecideParts, type Decision, decide } from './decide.ts'
import { bury, hasPaymentUnderWay } from './decision-store.ts'

/**
 * Deletes an invoice permanently. The invoice disappears from every list and route. A tombstone keeps its
 * addresses watched, so that later payments are still credited to the merchant.
 * @throws Problem not-found; payment-under-way while a payment to the invoice is not confirmed, or while its
 * claim is being paid
 */
export function deleteInvoice(parts: DecideParts, decision: Decision): Promise<void> {
  return decide(parts, decision, async (tx, { invoice }) => {
    if (invoice.claimedAt !== undefined && invoice.state === 'pending') {
      throw fail(
        'payment-under-way',
        'The claim of the invoice is being paid out. Delete the invoice when the payout has ended.',
      )
    }
    if (await hasPaymentUnderWay(tx, invoice.id)) {
      throw fail(
        'payment-under-way',
        'A payment to the invoice is not confirmed yet. Delete the invoice afterwards.',
      )
    }
    await bury(tx, invoice.id)
    const { type, state, amount, reference } = invoice
    await auditDecision(tx, decision, 'invoice.deleted', { type, state, amount, reference })
  })
}
