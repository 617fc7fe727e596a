import { fail } from '../../core/errors.ts'
import { auditDecision, type DecideParts, type Decision, decide, settleDecided } from './decide.ts'
import { accept } from './decision-store.ts'
import type { Invoice, Payment, PaymentRules } from './invoice.ts'
import { deriveStatus, hasArrived } from './status.ts'

/**
 * Accepts payments that were too small or late, so that the invoice becomes paid. The decision applies to the
 * deposits that exist now. If a reorganisation removes one of these deposits, the invoice may no longer be
 * paid. Accepting again changes nothing.
 * @throws Problem not-found; invoice-not-acceptable if no payment was too small or late
 */
export function acceptInvoice(parts: DecideParts, decision: Decision): Promise<Invoice> {
  return decide(parts, decision, async (tx, context) => {
    const { invoice, rules } = context
    const payments = (await parts.paymentsOf(tx, [invoice.id], 'each')).get(invoice.id) ?? []
    const ids = acceptable(invoice, payments, rules)
    if (ids.length === 0) {
      if (invoice.acceptedIds.length > 0 && invoice.state === 'paid') return invoice
      throw fail('invoice-not-acceptable', 'The invoice has no short or late payment to accept.')
    }
    await accept(tx, invoice.id, ids)
    const accepted = await settleDecided(parts, tx, context)
    await auditDecision(tx, decision, 'invoice.accepted', { transactionIDs: ids })
    return accepted
  })
}

/**
 * Returns the ids of the deposits to accept: all deposits in a block. For a reusable invoice, these are the
 * deposits that were accepted before, and those in a block that pay nothing so far.
 */
function acceptable(invoice: Invoice, payments: readonly Payment[], rules: PaymentRules): readonly string[] {
  const { state, exceptions, paidBy } = deriveStatus(invoice, payments, rules)
  if (!exceptions.includes('underpaid') && !exceptions.includes('late')) return []
  const arrived = payments.filter(hasArrived)
  const idsOf = (some: readonly Payment[]) => some.map(({ depositId }) => depositId)
  if (invoice.type !== 'reusable') return state === 'paid' ? [] : idsOf(arrived)
  const added = arrived.filter((payment) => !paidBy.includes(payment))
  return added.length === 0 ? [] : [...invoice.acceptedIds, ...idsOf(added)]
}
