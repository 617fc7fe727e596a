import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { findInvoice, readDeliveries, readEvents, readPayments, readQuotes } from './store.ts'
import { eventSubjects, type TimelineEntry, timelineOf } from './timeline.ts'

/**
 * Returns the timeline of an invoice. If the invoice has many quotes or payments, only the newest of them are
 * included.
 * @throws Problem not-found if the merchant has no such invoice
 */
export async function readTimeline(
  db: Queryable,
  merchantId: string,
  invoiceId: string,
): Promise<readonly TimelineEntry[]> {
  const rows = limits.timelineRows
  const invoice = await findInvoice(db, merchantId, invoiceId)
  if (invoice === undefined) throw fail('not-found', 'No such invoice.')
  const [quotes, payments] = await Promise.all([
    readQuotes(db, invoiceId, rows),
    readPayments(db, invoiceId, rows),
  ])
  const subjects = eventSubjects(invoiceId, invoice, payments)
  const [events, deliveries] = await Promise.all([
    readEvents(db, merchantId, subjects),
    readDeliveries(db, merchantId, subjects),
  ])
  return timelineOf({ invoice, quotes, payments, events, deliveries })
}
