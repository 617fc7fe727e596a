import { Type } from 'typebox'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Caller } from '../http/auth.ts'
import { type Route, route } from '../http/route.ts'
import { decimalAmount, oneOf, paymentMethodId, uuid } from '../http/wire.ts'
import { createInvoice } from './create-invoice.ts'
import { givePaymentAddress, givePaymentAddresses, type PaymentAddressParts } from './give-payment-address.ts'
import { invoiceTypes } from './invoice.ts'
import { listInvoicesRoute } from './list-routes.ts'
import { findInvoice } from './store.ts'
import {
  type ChainSpelling,
  MethodAddressView,
  methodAddressView,
  PaymentAddressView,
  paymentAddressView,
} from './view.ts'

export interface InvoicesParts extends PaymentAddressParts {
  chainOf(network: string): ChainSpelling
  /** Whether a caller may see a merchant's things, on paths that name no merchant. */
  mayRead(caller: Caller, merchantId: string): Promise<boolean>
}

export function invoiceRoutes(parts: InvoicesParts): readonly Route[] {
  return [createRoute(parts), listInvoicesRoute(parts), addressRoute(parts), addressesRoute(parts)]
}

const CreateInvoiceBody = Type.Object({
  amount: decimalAmount,
  type: oneOf(invoiceTypes),
  paymentMethodID: paymentMethodId,
  description: Type.Optional(Type.String({ maxLength: limits.invoiceDescriptionChars })),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: limits.invoiceReferenceChars })),
  paymentMethodIDs: Type.Optional(Type.Array(paymentMethodId, { maxItems: 20 })),
  expiresInMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 * 24 * 60 })),
})

function createRoute(parts: InvoicesParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/invoices',
    auth: 'any',
    idempotent: true,
    summary: 'Create an invoice',
    body: CreateInvoiceBody,
    replies: { 201: Type.Object({ id: uuid }) },
    errors: ['reference-taken'],
    handle: async ({ merchant, body, newId }) => {
      const id = await createInvoice(parts, {
        id: newId,
        merchantId: merchant.id,
        type: body.type,
        amount: body.amount,
        paymentMethodId: body.paymentMethodID,
        paymentMethodIds: body.paymentMethodIDs ?? [],
        description: body.description,
        reference: body.reference,
        expiresInMinutes: body.expiresInMinutes,
      })
      return { status: 201, body: { id } }
    },
  })
}

function addressRoute(parts: InvoicesParts): Route {
  return route({
    method: 'GET',
    path: '/public/invoices/:invoiceID/method/:methodID/address',
    operationId: 'getPaymentAddress',
    auth: 'open',
    crossOrigin: true,
    summary: 'Show a payer where and how much to pay',
    params: { methodID: paymentMethodId },
    replies: { 200: PaymentAddressView },
    errors: [
      'not-found',
      'method-not-offered',
      'invoice-not-payable',
      'below-minimum',
      'rate-unavailable',
      'too-busy',
    ],
    handle: async ({ params }) => {
      const shown = await givePaymentAddress(parts, params.invoiceID, params.methodID)
      return { status: 200, body: paymentAddressView(parts.chainOf(shown.method.network), shown) }
    },
  })
}

function addressesRoute(parts: InvoicesParts): Route {
  return route({
    method: 'GET',
    path: '/public/invoices/:invoiceID/addresses',
    operationId: 'listPaymentAddresses',
    auth: 'any',
    summary: 'Show the payment addresses of all methods of an invoice',
    replies: { 200: Type.Array(MethodAddressView) },
    errors: ['not-found', 'invoice-not-payable', 'below-minimum', 'rate-unavailable', 'too-busy'],
    handle: async ({ caller, params }) => {
      const context = await findInvoice(parts.db, params.invoiceID)
      if (context === undefined || !(await parts.mayRead(caller, context.invoice.merchantId))) {
        throw fail('not-found', 'No such invoice.')
      }
      const given = await givePaymentAddresses(parts, context)
      const body = given.map((shown) => methodAddressView(parts.chainOf(shown.method.network), shown))
      return { status: 200, body }
    },
  })
}
