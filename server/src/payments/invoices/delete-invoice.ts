import { fail } from '../../core/errors.ts'
import { auditDecision, type DecideParts, type Decision, decide } from './decide.ts'
import { bury, hasPaymentUnderWay } from './decision-store.ts'

/**
 * Deletes an invoice for good: it is gone from every list and route, and a tombstone keeps its address watched, so that
 * money paid there later is still credited to its merchant.
 * @throws Problem not-found; payment-under-way while a payment to it, or the payout of its claim, is on its way
 */
export function deleteInvoice(parts: DecideParts, decision: Decision): Promise<void> {
  return decide(parts, decision, async (tx, { invoice }) => {
    if (invoice.claimedAt !== undefined && invoice.state === 'pending') {
      throw fail('payment-under-way', 'Its claim is being paid out. Delete it when the payout is over.')
    }
    if (await hasPaymentUnderWay(tx, invoice.id)) {
      throw fail('payment-under-way', 'A payment to it is not confirmed yet. Delete it afterwards.')
    }
    await bury(tx, invoice.id)
    const { type, state, amount, reference } = invoice
    await auditDecision(tx, decision, 'invoice.deleted', { type, state, amount, reference })
  })
}
