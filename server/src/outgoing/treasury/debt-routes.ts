import { Type } from 'typebox'
import { formatDecimal } from '../../core/money.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import {
  assetAmount,
  decimalOut,
  page,
  pageOf,
  pageQuery,
  paymentMethodId,
  uuid,
} from '../../platform/http/wire.ts'
import { listDebts } from './debt-store.ts'
import { DebtView, debtView } from './view.ts'
import { type WriteOffParts, writeOffDebt } from './write-off-debt.ts'

/** Routes for operators: list the negative balances of merchants, and write them off. */
export function debtRoutes(parts: WriteOffParts): readonly Route[] {
  return [debtsRoute(parts), writeOffRoute(parts)]
}

function debtsRoute({ db, methods }: WriteOffParts): Route {
  return route({
    method: 'GET',
    path: '/operator/debts',
    auth: 'bearer',
    permit: permitOperator,
    operationId: 'listDebts',
    summary: 'List the negative balances of merchants, by name and asset',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(DebtView) },
    handle: async ({ query }) => {
      const { debts, total } = await listDebts(db, query)
      const views = debts.map((debt) => debtView(methods, debt))
      return { status: 200, body: page(views, total, query) }
    },
  })
}

function writeOffRoute(parts: WriteOffParts): Route {
  return route({
    method: 'POST',
    path: '/operator/write-offs',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    needsProof: true,
    operationId: 'writeOffDebt',
    summary:
      'Write off a negative balance of a merchant from the operator’s capital; the merchant’s payouts resume',
    body: Type.Object({
      merchantID: uuid,
      paymentMethodID: paymentMethodId,
      amount: Type.String({
        ...assetAmount,
        description:
          'the expected negative balance; rejected if the merchant owes more, and only the actual amount is written off if it owes less',
      }),
    }),
    example: {
      body: { merchantID: '0197a1f1-1111-7111-8111-111111111111', paymentMethodID: 1, amount: '12.50' },
    },
    replies: {
      201: Type.Object({
        merchantID: uuid,
        paymentMethodID: Type.Integer(),
        symbol: Type.String(),
        amount: decimalOut,
      }),
    },
    errors: ['nothing-owed', 'owes-more', 'insufficient-balance'],
    handle: async ({ caller, body, newId: id }) => {
      const { paymentMethodID, amount: shown } = body
      const merchantID = body.merchantID.toLowerCase()
      const input = { id, merchantId: merchantID, paymentMethodId: paymentMethodID, amount: shown }
      const amountMinor = await writeOffDebt(parts, caller.accountId, input)
      const method = parts.methods.byId(paymentMethodID)
      const amount = formatDecimal(amountMinor, method?.decimals ?? 0)
      return { status: 201, body: { merchantID, paymentMethodID, symbol: method?.symbol ?? '', amount } }
    },
  })
}
