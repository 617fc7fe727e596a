import { type Static, Type } from 'typebox'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { decimal, usdDecimals } from '../core/money.ts'
import type { Caller } from '../http/auth.ts'
import { readDate } from '../http/read-date.ts'
import { type Route, route } from '../http/route.ts'
import { decimalAmount, oneOf, page, pageOf, pagingQuery, paymentMethodId, uuid } from '../http/wire.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { createInvoice } from './create-invoice.ts'
import { givePaymentAddress, givePaymentAddresses, type PaymentAddressParts } from './give-payment-address.ts'
import { findInvoice, type InvoiceFilter, listInvoices } from './store.ts'
import {
  type ChainSpelling,
  InvoiceView,
  invoiceView,
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
  return [createRoute(parts), listRoute(parts), addressRoute(parts), addressesRoute(parts)]
}

const invoiceTypes = ['onetime', 'reusable', 'collect', 'withdraw'] as const

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

const ListInvoicesQuery = Type.Object({
  ...pagingQuery(['createdAt', 'amount']),
  types: Type.Optional(Type.Array(oneOf(invoiceTypes))),
  states: Type.Optional(Type.Array(oneOf(['pending', 'paid', 'expired']))),
  tokens: Type.Optional(Type.Array(Type.String({ description: 'a symbol or a payment method ID' }))),
  amountFrom: Type.Optional(decimalAmount),
  amountTo: Type.Optional(decimalAmount),
  dateFrom: Type.Optional(Type.String()),
  dateTo: Type.Optional(Type.String()),
  collectStates: Type.Optional(Type.Array(oneOf(['collecting', 'sweeping', 'completed']))),
  showArchived: Type.Optional(Type.Boolean()),
  amlOk: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String()),
})

function listRoute({ db, methods }: InvoicesParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/invoices',
    auth: 'any',
    summary: 'List invoices',
    query: ListInvoicesQuery,
    replies: { 200: pageOf(InvoiceView) },
    handle: async ({ merchant, query }) => {
      const { invoices, total } = await listInvoices(db, toFilter(methods, merchant.id, query), query)
      return { status: 200, body: page(invoices.map(invoiceView), total, query) }
    },
  })
}

function toFilter(
  methods: PaymentMethods,
  merchantId: string,
  query: Static<typeof ListInvoicesQuery>,
): InvoiceFilter {
  return {
    merchantId,
    showArchived: query.showArchived ?? false,
    ...(query.types && { types: query.types }),
    ...(query.states && { states: query.states }),
    ...(query.tokens && { paymentMethodIds: idsOfTokens(methods, query.tokens) }),
    ...(query.amountFrom !== undefined && { amountFromUsd: decimal(query.amountFrom, usdDecimals) }),
    ...(query.amountTo !== undefined && { amountToUsd: decimal(query.amountTo, usdDecimals) }),
    ...(query.dateFrom !== undefined && { createdFrom: readDate('query/dateFrom', query.dateFrom, 'from') }),
    ...(query.dateTo !== undefined && { createdTo: readDate('query/dateTo', query.dateTo, 'to') }),
    ...(query.collectStates && { collectStates: query.collectStates }),
    ...(query.amlOk !== undefined && { amlOk: query.amlOk }),
    ...(query.search !== undefined && { search: query.search }),
  }
}

/** Any token is a fair question; one that does not exist matches nothing. */
function idsOfTokens(methods: PaymentMethods, tokens: readonly string[]): readonly number[] {
  const wanted = new Set(tokens.map((token) => token.toLowerCase()))
  return methods.all
    .filter(({ id, symbol }) => wanted.has(String(id)) || wanted.has(symbol.toLowerCase()))
    .map(({ id }) => id)
}

function addressRoute(parts: InvoicesParts): Route {
  return route({
    method: 'GET',
    path: '/public/invoices/:invoiceID/method/:methodID/address',
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
