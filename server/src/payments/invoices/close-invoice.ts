import { fail } from '../../core/errors.ts'
import { auditDecision, type DecideParts, type Decision, decide, settleDecided } from './decide.ts'
import { close } from './decision-store.ts'
import type { Invoice } from './invoice.ts'

/**
 * Closes an invoice that stays open by itself: paid if anything came in, else expired. Money that comes later is
 * credited and late. Closing it again changes nothing.
 * @throws Problem not-found; invoice-not-closable for another type, and for one that has ended
 */
export function closeInvoice(parts: DecideParts, decision: Decision): Promise<Invoice> {
  return decide(parts, decision, async (tx, context) => {
    const { type, state, closedAt } = context.invoice
    if (closedAt !== undefined) return context.invoice
    if (type !== 'collect' && type !== 'reusable') {
      throw fail(
        'invoice-not-closable',
        `Only collect and reusable invoices are closed; this one is ${type}.`,
      )
    }
    if (state === 'expired' || (state === 'paid' && type === 'collect')) {
      throw fail('invoice-not-closable', `It has ended already: it is ${state}.`)
    }
    await close(tx, context.invoice.id)
    const closed = await settleDecided(parts, tx, context)
    await auditDecision(tx, decision, 'invoice.closed', { type, state: closed.state })
    return closed
  })
}
