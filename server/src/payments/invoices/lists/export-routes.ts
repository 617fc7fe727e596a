import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type RateLimiter, takeOrRefuse } from '../../../platform/http/limits/rate-limiter.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { type ExportParts, exportInvoices } from './export-invoices.ts'
import { invoiceFilters, toFilter } from './list-routes.ts'

export interface ExportInvoicesParts extends ExportParts {
  /** Limits how many exports a merchant may start. */
  readonly exportLimiter: RateLimiter
}

export function exportInvoicesRoute(parts: ExportInvoicesParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/invoices/export',
    operationId: 'exportInvoices',
    auth: 'any',
    summary: 'Export all matching invoices as CSV for spreadsheets',
    description:
      'Accepts the filters of the list. The file is UTF-8 with a byte order mark, newest invoice first. A text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.',
    query: Type.Object(invoiceFilters),
    replies: { 200: Type.Unsafe<Readable>(Type.String({ contentMediaType: 'text/csv' })) },
    errors: ['too-many-requests'],
    async handle({ merchant, query }) {
      const filter = toFilter(parts.methods, merchant.id, query)
      await takeOrRefuse(parts.exportLimiter, merchant.id, 'exports')
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="invoices.csv"',
      }
      return { status: 200, headers, body: exportInvoices(parts, filter) }
    },
  })
}
