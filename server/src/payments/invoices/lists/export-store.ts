import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Invoice } from '../invoice.ts'
import { type InvoiceRow, invoiceColumns, toInvoice } from '../store.ts'
import type { InvoiceFilter } from './list-filter.ts'
import { matching, searching } from './list-store.ts'

/** The last invoice that an export has read. The export reads older invoices next. */
export interface ExportCursor {
  readonly createdAt: Date
  readonly id: string
}

/**
 * Returns at most `rows` invoices after the cursor, the newest first. The query follows the index of creation
 * times, so the cost depends only on the number of rows read.
 */
export async function readNextInvoices(
  on: Queryable,
  filter: InvoiceFilter,
  after: ExportCursor | undefined,
  rows: number,
): Promise<readonly Invoice[]> {
  const older =
    after === undefined
      ? sql``
      : sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
  const found = await on.query<InvoiceRow>(sql`
    select ${invoiceColumns} from invoice
    where ${matching(filter)} ${searching(filter)} ${older}
    order by created_at desc, id desc limit ${rows}`)
  return found.map(toInvoice)
}
