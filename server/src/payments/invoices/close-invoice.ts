import { fail } from '../../core/errors.ts'
import { auditDecision, type DecideParts, type Decision, decide, settleDecided } from './decide.ts'
import { close } from './decision-store.ts'
import type { Invoice } from './invoice.ts'

/**
 * Closes a collect or reusable invoice. The invoice becomes paid if a payment was received in time, and
 * expired if none was. Later payments are credited and count as late. Closing again changes nothing.
 * @throws Problem not-found; invoice-not-closable for another type, or for an invoice that has ended
 */
export function closeInvoice(parts: DecideParts, decision: Decision): Promise<Invoice> {
  return decide(parts, decision, async (tx, context) => {
    const { type, state, closedAt } = context.invoice
    if (closedAt !== undefined) return context.invoice
    if (type !== 'collect' && type !== 'reusable') {
      throw fail(
        'invoice-not-closable',
        `Only collect and reusable invoices can be closed; the type of this one is ${type}.`,
      )
    }
    if (state === 'expired' || (state === 'paid' && type === 'collect')) {
      throw fail('invoice-not-closable', `The invoice has already ended: its state is ${state}.`)
    }
    await close(tx, context.invoice.id)
    const closed = await settleDecided(parts, tx, context)
    await auditDecision(tx, decision, 'invoice.closed', { type, state: closed.state })
    return closed
  })
}
