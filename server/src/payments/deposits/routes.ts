import { type Static, Type } from 'typebox'
import { fail } from '../../core/errors.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { readDate } from '../../platform/http/read-date.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { page, pageOf, pagingQuery, uuid } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { TransactionStateView } from '../invoices/view.ts'
import type { DepositFilter } from './lists/list-filter.ts'
import { listDeposits } from './lists/list-store.ts'
import { findDeposit } from './store.ts'
import {
  currencyTransactionView,
  SingleTransactionView,
  singleTransactionView,
  TransactionView,
  transactionView,
} from './view.ts'

export interface TransactionsParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

export function transactionRoutes(parts: TransactionsParts): readonly Route[] {
  return [listRoute(parts), getRoute(parts)]
}

const ListTransactionsBody = Type.Object({
  states: Type.Optional(Type.Array(TransactionStateView)),
  dateFrom: Type.Optional(Type.String()),
  dateTo: Type.Optional(Type.String()),
  tokens: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
  invoiceIDs: Type.Optional(Type.Array(uuid, { maxItems: 1000 })),
})

function listRoute({ db, methods }: TransactionsParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/transactions/list',
    auth: 'any',
    readOnly: true,
    summary: 'List transactions',
    query: Type.Object({
      ...pagingQuery(['createdAt', 'amount', 'confirmedAt']),
      showCurrency: Type.Optional(
        Type.Boolean({ description: 'whether each record also has `paymentMethodID` and `currency`' }),
      ),
    }),
    body: ListTransactionsBody,
    example: { body: { states: ['confirmed'] } },
    replies: { 200: pageOf(TransactionView) },
    handle: async ({ merchant, query, body }) => {
      const { deposits, total } = await listDeposits(db, toFilter(merchant.id, body), query)
      const view = query.showCurrency === true ? currencyTransactionView : transactionView
      const views = deposits.map((deposit) => view(methods, deposit))
      return { status: 200, body: page(views, total, query) }
    },
  })
}

function getRoute({ db, methods }: TransactionsParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/transactions/:transactionID',
    auth: 'any',
    summary: 'Get a transaction',
    replies: { 200: SingleTransactionView },
    errors: ['not-found'],
    handle: async ({ merchant, params }) => {
      const deposit = await findDeposit(db, merchant.id, params.transactionID)
      if (deposit === undefined) throw fail('not-found', 'No such transaction.')
      return { status: 200, body: singleTransactionView(methods, deposit) }
    },
  })
}

/** Converts a request to a filter. An empty list means the same as no filter. */
function toFilter(merchantId: string, body: Static<typeof ListTransactionsBody>): DepositFilter {
  return {
    merchantId,
    ...(body.states?.length && { states: body.states }),
    ...(body.dateFrom !== undefined && { createdFrom: readDate('/dateFrom', body.dateFrom, 'from') }),
    ...(body.dateTo !== undefined && { createdTo: readDate('/dateTo', body.dateTo, 'to') }),
    ...(body.tokens?.length && { paymentMethodIds: body.tokens }),
    ...(body.invoiceIDs?.length && { invoiceIds: body.invoiceIDs }),
  }
}
