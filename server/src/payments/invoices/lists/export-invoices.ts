import { Readable } from 'node:stream'
import { limits } from '../../../core/limits.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { optionalTimestamp, timestamp } from '../../../platform/http/wire.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Invoice } from '../invoice.ts'
import { byteOrderMark, csvLine } from './csv.ts'
import { type ExportCursor, readNextInvoices } from './export-store.ts'
import type { InvoiceFilter } from './list-filter.ts'

export interface ExportParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

/**
 * Returns all invoices that match a filter as CSV, the newest first. Rows are read in batches, without a
 * transaction, and only as fast as the client receives them. An export therefore needs memory and a
 * connection for only one batch at a time.
 */
export function exportInvoices(parts: ExportParts, filter: InvoiceFilter): Readable {
  return Readable.from(linesOf(parts, filter), { objectMode: false, encoding: 'utf8' })
}

async function* linesOf({ db, methods }: ExportParts, filter: InvoiceFilter): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(Object.keys(columns))
  const rows = limits.exportRowsAtOnce
  for (let after: ExportCursor | undefined; ; ) {
    const invoices = await readNextInvoices(db, filter, after, rows)
    if (invoices.length > 0) yield invoices.map((invoice) => lineOf(methods, invoice)).join('')
    after = invoices.at(-1)
    if (after === undefined || invoices.length < rows) return
  }
}

type Cell = (invoice: Invoice, methods: PaymentMethods) => string

/** The columns of the CSV file. Their names are those of the API. */
const columns: Readonly<Record<string, Cell>> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => timestamp(createdAt),
  type: ({ type }) => type,
  state: ({ state }) => state,
  exceptions: ({ exceptions }) => exceptions.join(' '),
  amountUsd: ({ amount }) => amount,
  paymentMethods: ({ paymentMethodIds }, methods) =>
    paymentMethodIds.map((id) => methods.byId(id)?.symbol ?? String(id)).join(' '),
  reference: ({ reference = '' }) => reference,
  description: ({ description = '' }) => description,
  expiresAt: ({ expiresAt }) => optionalTimestamp(expiresAt) ?? '',
  paidAt: ({ paidAt }) => optionalTimestamp(paidAt) ?? '',
  collectState: ({ collectState = '' }) => collectState,
  amlOk: ({ amlOk }) => String(amlOk),
  isArchived: ({ archivedAt }) => String(archivedAt !== undefined),
}

function lineOf(methods: PaymentMethods, invoice: Invoice): string {
  return csvLine(Object.values(columns).map((cell) => cell(invoice, methods)))
}
