import { fail } from '../../core/errors.ts'
import { auditDecision, type DecideParts, type Decision, decide, settleDecided } from './decide.ts'
import { accept } from './decision-store.ts'
import type { Invoice, Payment, PaymentRules } from './invoice.ts'
import { deriveStanding, hasArrived } from './standing.ts'

/**
 * Lets what came in short or late count as paid. It holds for the transactions that are there now: should a
 * reorganisation take one of them away, the invoice stands as before. Accepting again changes nothing.
 * @throws Problem not-found; invoice-not-acceptable where nothing came in short or late
 */
export function acceptInvoice(parts: DecideParts, decision: Decision): Promise<Invoice> {
  return decide(parts, decision, async (tx, context) => {
    const { invoice, rules } = context
    const payments = (await parts.paymentsOf(tx, [invoice.id], 'each')).get(invoice.id) ?? []
    const ids = acceptable(invoice, payments, rules)
    if (ids.length === 0) {
      if (invoice.acceptedIds.length > 0 && invoice.state === 'paid') return invoice
      throw fail('invoice-not-acceptable', 'There is no payment to it that came in short or late.')
    }
    await accept(tx, invoice.id, ids)
    const accepted = await settleDecided(parts, tx, context)
    await auditDecision(tx, decision, 'invoice.accepted', { transactionIDs: ids })
    return accepted
  })
}

/** The transactions to name as accepted: all there are, of a reusable invoice those that pay nothing so far. */
function acceptable(invoice: Invoice, payments: readonly Payment[], rules: PaymentRules): readonly string[] {
  const { state, exceptions, paidBy } = deriveStanding(invoice, payments, rules)
  if (!exceptions.includes('underpaid') && !exceptions.includes('late')) return []
  const arrived = payments.filter(hasArrived)
  const idsOf = (some: readonly Payment[]) => some.map(({ transactionId }) => transactionId)
  if (invoice.type !== 'reusable') return state === 'paid' ? [] : idsOf(arrived)
  const added = arrived.filter((payment) => !paidBy.includes(payment))
  return added.length === 0 ? [] : [...invoice.acceptedIds, ...idsOf(added)]
}
