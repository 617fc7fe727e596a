import type { AddressCodec } from '../../chains/port.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { acceptInvoice } from './accept-invoice.ts'
import { archiveInvoice } from './archive-invoice.ts'
import { closeInvoice } from './close-invoice.ts'
import type { DecideParts } from './decide.ts'
import { deleteInvoice } from './delete-invoice.ts'
import { type ReadInvoiceParts, readInvoice } from './read-invoice.ts'
import { InvoiceRecordView, invoiceRecordView } from './record-view.ts'
import { InvoiceView, invoiceView } from './view.ts'

export interface InvoiceRouteParts extends ReadInvoiceParts, DecideParts {
  readonly publicUrl: string
  codecOf(network: string): AddressCodec
}

export function singleInvoiceRoutes(parts: InvoiceRouteParts): readonly Route[] {
  return [getRoute(parts), archiveRoute(parts), deleteRoute(parts), closeRoute(parts), acceptRoute(parts)]
}

const path = '/merchants/:merchantID/invoices/:invoiceID'

function getRoute(parts: InvoiceRouteParts): Route {
  return route({
    method: 'GET',
    path,
    auth: 'any',
    summary: 'Get an invoice with all its details',
    replies: { 200: InvoiceRecordView },
    errors: ['not-found'],
    handle: async ({ merchant, params }) => {
      const record = await readInvoice(parts, merchant.id, params.invoiceID)
      return { status: 200, body: invoiceRecordView(parts.publicUrl, parts.codecOf, record) }
    },
  })
}

function archiveRoute({ db }: InvoiceRouteParts): Route {
  return route({
    method: 'POST',
    path,
    operationId: 'archiveInvoice',
    auth: 'any',
    idempotent: true,
    summary: 'Archive an invoice: default lists hide it, and it can still be paid',
    replies: { 204: null },
    errors: ['not-found'],
    handle: async ({ merchant, params }) => {
      await archiveInvoice(db, merchant.id, params.invoiceID)
      return { status: 204 }
    },
  })
}

function deleteRoute(parts: InvoiceRouteParts): Route {
  return route({
    method: 'DELETE',
    path,
    auth: 'any',
    idempotent: true,
    summary: 'Delete an invoice permanently; later payments to it are still credited',
    replies: { 204: null },
    errors: ['not-found', 'payment-under-way'],
    handle: async ({ caller, merchant, params }) => {
      await deleteInvoice(parts, { caller, merchantId: merchant.id, invoiceId: params.invoiceID })
      return { status: 204 }
    },
  })
}

function closeRoute(parts: InvoiceRouteParts): Route {
  return route({
    method: 'POST',
    path: `${path}/close`,
    operationId: 'closeInvoice',
    auth: 'any',
    idempotent: true,
    summary: 'Close a collect or reusable invoice: it is paid if anything was received, else expired',
    replies: { 200: InvoiceView },
    errors: ['not-found', 'invoice-not-closable'],
    handle: async ({ caller, merchant, params }) => {
      const decision = { caller, merchantId: merchant.id, invoiceId: params.invoiceID }
      return { status: 200, body: invoiceView(await closeInvoice(parts, decision)) }
    },
  })
}

function acceptRoute(parts: InvoiceRouteParts): Route {
  return route({
    method: 'POST',
    path: `${path}/accept`,
    operationId: 'acceptInvoice',
    auth: 'any',
    idempotent: true,
    summary: 'Accept short or late payments: the invoice counts as paid',
    replies: { 200: InvoiceView },
    errors: ['not-found', 'invoice-not-acceptable'],
    handle: async ({ caller, merchant, params }) => {
      const decision = { caller, merchantId: merchant.id, invoiceId: params.invoiceID }
      return { status: 200, body: invoiceView(await acceptInvoice(parts, decision)) }
    },
  })
}
