import { Type } from 'typebox'
import { limits } from '../../core/limits.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { decimalAmount, paymentMethodId } from '../../platform/http/wire.ts'
import { type AddressRouteParts, addressRoutes } from './addresses/address-routes.ts'
import { claimUrl } from './claims/claim.ts'
import { type ClaimLinkParts, claimLinkRoute } from './claims/link-route.ts'
import { showClaimToken } from './claims/show-claim.ts'
import { type CreateInvoiceParts, createInvoice, openInserts } from './create-invoice.ts'
import { type ExportInvoicesParts, exportInvoicesRoute } from './lists/export-routes.ts'
import { listInvoicesRoute } from './lists/list-routes.ts'
import { type InvoiceRouteParts, singleInvoiceRoutes } from './single-routes.ts'
import { CreatedInvoiceView, checkoutUrl, InvoiceTypeView } from './view.ts'

export interface InvoicesParts
  extends AddressRouteParts,
    InvoiceRouteParts,
    ClaimLinkParts,
    ExportInvoicesParts,
    Omit<CreateInvoiceParts, 'db' | 'inserts'> {}

export function invoiceRoutes(parts: InvoicesParts): readonly Route[] {
  return [
    createRoute(parts),
    listInvoicesRoute(parts),
    exportInvoicesRoute(parts),
    ...singleInvoiceRoutes(parts),
    ...addressRoutes(parts),
    claimLinkRoute(parts),
  ]
}

const CreateInvoiceBody = Type.Object({
  amount: decimalAmount,
  type: InvoiceTypeView,
  paymentMethodID: paymentMethodId,
  description: Type.Optional(Type.String({ maxLength: limits.invoiceDescriptionChars })),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: limits.invoiceReferenceChars })),
  paymentMethodIDs: Type.Optional(Type.Array(paymentMethodId, { maxItems: 20 })),
  expiresInMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.invoiceLifetimeMinutes })),
  redirectURL: Type.Optional(Type.String({ minLength: 1, maxLength: limits.redirectUrlChars })),
})

function createRoute(routeParts: InvoicesParts): Route {
  const parts = { ...routeParts, inserts: openInserts(routeParts.db) }
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/invoices',
    auth: 'any',
    idempotent: true,
    // Whoever has the link of a withdraw invoice can claim its money, so a session proof is required.
    needsProof: ({ type }) => type === 'withdraw',
    summary: 'Create an invoice',
    body: CreateInvoiceBody,
    replies: { 201: CreatedInvoiceView },
    errors: ['reference-taken', 'below-minimum'],
    handle: async ({ merchant, body, newId }) => {
      const id = await createInvoice(parts, {
        id: newId,
        merchantId: merchant.id,
        type: body.type,
        amount: body.amount,
        paymentMethodId: body.paymentMethodID,
        paymentMethodIds: body.paymentMethodIDs,
        description: body.description,
        reference: body.reference,
        redirectUrl: body.redirectURL,
        expiresInMinutes: body.expiresInMinutes,
      })
      const created = { id, checkoutURL: checkoutUrl(parts.publicUrl, id) }
      if (body.type !== 'withdraw') return { status: 201, body: created }
      const token = await showClaimToken(parts, id)
      return { status: 201, body: { ...created, claimURL: claimUrl(parts.publicUrl, id, token) } }
    },
  })
}
