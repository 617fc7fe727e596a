import { Type } from 'typebox'
import { formatDecimal } from '../core/money.ts'
import { permitOperator } from '../http/auth.ts'
import { type Route, route } from '../http/route.ts'
import { decimalOut, paymentMethodId, uuid } from '../http/wire.ts'
import { type WriteOffParts, writeOffDebt } from './write-off-debt.ts'

export function writeOffRoute(parts: WriteOffParts): Route {
  return route({
    method: 'POST',
    path: '/operator/write-offs',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    operationId: 'writeOffDebt',
    summary:
      'Bear what a merchant owes in an asset out of the operator’s capital; its payouts are free again',
    body: Type.Object({ merchantID: uuid, paymentMethodID: paymentMethodId }),
    replies: {
      201: Type.Object({
        merchantID: uuid,
        paymentMethodID: Type.Integer(),
        symbol: Type.String(),
        amount: decimalOut,
      }),
    },
    errors: ['nothing-owed', 'insufficient-balance'],
    handle: async ({ caller, body, newId: id }) => {
      const merchantID = body.merchantID.toLowerCase()
      const wish = { id, merchantId: merchantID, paymentMethodId: body.paymentMethodID }
      const amountMinor = await writeOffDebt(parts, caller.accountId, wish)
      const method = parts.methods.byId(body.paymentMethodID)
      const amount = formatDecimal(amountMinor, method?.decimals ?? 0)
      const { paymentMethodID } = body
      return { status: 201, body: { merchantID, paymentMethodID, symbol: method?.symbol ?? '', amount } }
    },
  })
}
