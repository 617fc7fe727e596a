import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { findInvoice, readDeliveries, readEvents, readPayments, readQuotes } from './store.ts'
import { eventSubjects, type TimelineEntry, timelineOf } from './timeline.ts'

/**
 * What happened to an invoice so far. Of many quotes and payments the newest are shown.
 * @throws Problem not-found
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
