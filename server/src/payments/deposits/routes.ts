import { type Static, Type } from 'typebox'
import { fail } from '../../core/errors.ts'
import type { Db } from '../../platform/db/pool.ts'
import { readDate } from '../../platform/http/read-date.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { page, pageOf, pagingQuery, uuid } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { TransactionStateView } from '../invoices/view.ts'
import type { DepositFilter } from './lists/list-filter.ts'
import { listDeposits } from './lists/list-store.ts'
import { findDeposit } from './store.ts'
import { creditDeposit } from './unattributed/credit-deposit.ts'
import { readCreditable } from './unattributed/read-creditable.ts'
import {
  currencyTransactionView,
  SingleTransactionView,
  singleTransactionView,
  TransactionView,
  transactionView,
} from './view.ts'

export interface TransactionsParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export function transactionRoutes(parts: TransactionsParts): readonly Route[] {
  return [listRoute(parts), getRoute(parts), creditRoute(parts)]
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

function getRoute(parts: TransactionsParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/transactions/:transactionID',
    auth: 'any',
    summary: 'Get a transaction',
    replies: { 200: SingleTransactionView },
    errors: ['not-found'],
    handle: async ({ merchant, params }) => {
      return { status: 200, body: await readSingle(parts, merchant.id, params.transactionID) }
    },
  })
}

function creditRoute(parts: TransactionsParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/transactions/:transactionID/credit',
    operationId: 'creditTransaction',
    auth: 'any',
    idempotent: true,
    summary: 'Credit a confirmed payment on the wrong network to the balance; it does not pay its invoice',
    replies: { 200: SingleTransactionView },
    errors: ['not-found', 'transaction-not-creditable'],
    handle: async ({ caller, merchant, params }) => {
      const depositId = params.transactionID
      await creditDeposit(parts, { caller, merchantId: merchant.id, depositId })
      return { status: 200, body: await readSingle(parts, merchant.id, depositId) }
    },
  })
}

async function readSingle({ db, methods }: TransactionsParts, merchantId: string, id: string) {
  const deposit = await findDeposit(db, merchantId, id)
  if (deposit === undefined) throw fail('not-found', 'No such transaction.')
  const creditable = await readCreditable(methods, db, [deposit])
  return singleTransactionView(methods, deposit, creditable.has(deposit.id))
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
