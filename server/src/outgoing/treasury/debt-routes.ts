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

/** For operators: what merchants owe, and how it is borne. */
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
    summary: 'List what merchants owe, by their names and assets',
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
      'Bear what a merchant owes in an asset out of the operator’s capital; its payouts are free again',
    body: Type.Object({
      merchantID: uuid,
      paymentMethodID: paymentMethodId,
      amount: Type.String({
        ...assetAmount,
        description:
          'what it was shown to owe; refused where it owes more by now. Less is borne where it owes less',
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
      const wish = { id, merchantId: merchantID, paymentMethodId: paymentMethodID, amount: shown }
      const amountMinor = await writeOffDebt(parts, caller.accountId, wish)
      const method = parts.methods.byId(paymentMethodID)
      const amount = formatDecimal(amountMinor, method?.decimals ?? 0)
      return { status: 201, body: { merchantID, paymentMethodID, symbol: method?.symbol ?? '', amount } }
    },
  })
}
