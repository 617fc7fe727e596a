import { type Static, Type } from 'typebox'
import { failField } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { decimal, usdDecimals } from '../../../core/money.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { readDate } from '../../../platform/http/read-date.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { decimalAmount, page, pageOf, pagingQuery } from '../../../platform/http/wire.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import {
  CollectStateView,
  detailedInvoiceView,
  InvoiceStateView,
  InvoiceTypeView,
  InvoiceView,
  invoiceView,
} from '../view.ts'
import { type InvoiceFilter, wordsOf } from './list-filter.ts'
import { ListSizes } from './list-sizes.ts'
import { listInvoices } from './list-store.ts'

export const invoiceFilters = {
  types: Type.Optional(Type.Array(InvoiceTypeView)),
  states: Type.Optional(Type.Array(InvoiceStateView)),
  tokens: Type.Optional(Type.Array(Type.String({ description: 'a symbol or a payment method ID' }))),
  amountFrom: Type.Optional(decimalAmount),
  amountTo: Type.Optional(decimalAmount),
  dateFrom: Type.Optional(Type.String()),
  dateTo: Type.Optional(Type.String()),
  collectStates: Type.Optional(Type.Array(CollectStateView)),
  showArchived: Type.Optional(Type.Boolean()),
  amlOk: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({
      description: `at most ${limits.searchWordsMax} words; each must occur in the description or the reference, in any order, also as a part of a word`,
    }),
  ),
}

const FilterQuery = Type.Object(invoiceFilters)
const ListInvoicesQuery = Type.Object({
  ...pagingQuery(['createdAt', 'amount']),
  ...invoiceFilters,
  showDetails: Type.Optional(
    Type.Boolean({ description: 'whether each record also has `description`, `reference` and `exceptions`' }),
  ),
})

export interface ListInvoicesParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export function listInvoicesRoute({ db, methods }: ListInvoicesParts): Route {
  const sizes = new ListSizes()
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/invoices',
    auth: 'any',
    summary: 'List invoices',
    query: ListInvoicesQuery,
    replies: { 200: pageOf(InvoiceView) },
    handle: async ({ merchant, query }) => {
      const { invoices, total } = await listInvoices(
        { db, sizes },
        toFilter(methods, merchant.id, query),
        query,
      )
      const view = query.showDetails === true ? detailedInvoiceView : invoiceView
      return { status: 200, body: page(invoices.map(view), total, query) }
    },
  })
}

export function toFilter(
  methods: PaymentMethods,
  merchantId: string,
  query: Static<typeof FilterQuery>,
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
    ...searchOf(query.search),
  }
}

/** Splits a search into words. A search that is empty or has only blanks filters nothing. */
function searchOf(search: string | undefined): Pick<InvoiceFilter, 'searchWords'> {
  const searchWords = wordsOf(search ?? '')
  if (searchWords.length > limits.searchWordsMax) {
    throw failField('query/search', `must have at most ${limits.searchWordsMax} words`)
  }
  return searchWords.length === 0 ? {} : { searchWords }
}

/**
 * Returns the ids of the payment methods that some tokens name. A token is an id or a symbol; an unknown
 * token matches no method.
 */
function idsOfTokens(methods: PaymentMethods, tokens: readonly string[]): readonly number[] {
  const wanted = new Set(tokens.map((token) => token.toLowerCase()))
  return methods.all
    .filter(({ id, symbol }) => wanted.has(String(id)) || wanted.has(symbol.toLowerCase()))
    .map(({ id }) => id)
}
