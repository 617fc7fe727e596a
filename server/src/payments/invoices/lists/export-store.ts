import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Invoice } from '../invoice.ts'
import { type InvoiceRow, invoiceColumns, toInvoice } from '../store.ts'
import type { InvoiceFilter } from './list-filter.ts'
import { matching, searching } from './list-store.ts'

/** An invoice that was read already; the next ones are older. */
export interface ExportPlace {
  readonly createdAt: Date
  readonly id: string
}

/** The next invoices after a place, the newest first, along the index of their times: a page costs what it holds. */
export async function readNextInvoices(
  on: Queryable,
  filter: InvoiceFilter,
  after: ExportPlace | undefined,
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
