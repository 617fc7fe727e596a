import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type RateLimiter, takeOrRefuse } from '../../../platform/http/limits/rate-limiter.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { type ExportParts, exportInvoices } from './export-invoices.ts'
import { invoiceFilters, toFilter } from './list-routes.ts'

export interface ExportInvoicesParts extends ExportParts {
  /** Exports that a merchant may begin. */
  readonly exportLimiter: RateLimiter
}

export function exportInvoicesRoute(parts: ExportInvoicesParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/invoices/export',
    operationId: 'exportInvoices',
    auth: 'any',
    summary: 'All invoices that match, as CSV for spreadsheets',
    description:
      'Takes the filters of the list. In UTF-8 with a byte order mark, the newest invoice first. A text that a spreadsheet would take for a formula begins with an apostrophe.',
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
