import { Type } from 'typebox'
import { type Route, route } from '../../platform/http/route.ts'
import { assetAmount, paymentMethodId } from '../../platform/http/wire.ts'
import { type FeeQueryParts, feeOf, quoteFee } from './quote-fee.ts'
import { FeeAmountView, FeeRateView, FeeTypeView, feeAmountView, feeRateView } from './view.ts'

export function feeRoutes(parts: FeeQueryParts): readonly Route[] {
  return [rateRoute(parts), amountRoute(parts)]
}

const feeQuery = { type: FeeTypeView, paymentMethodID: Type.Optional(paymentMethodId) }

/**
 * Other accepted names of the two fields below. The specification gives these fields no fixed name. Every
 * name that it uses elsewhere for the same thing is therefore accepted.
 */
const otherNames = {
  'x-aliases': {
    transactionType: 'type',
    paymentMethodId: 'paymentMethodID',
    methodID: 'paymentMethodID',
  },
}
const namesTaken =
  '`transactionType` is accepted for `type`, and `paymentMethodId` or `methodID` for `paymentMethodID`.'

function rateRoute(parts: FeeQueryParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/fees',
    auth: 'any',
    summary: 'Get the fee rate of a transaction type',
    description: namesTaken,
    query: Type.Object(feeQuery, otherNames),
    example: { query: { type: 'onetime', paymentMethodID: 1 } },
    replies: { 200: FeeRateView },
    errors: ['rate-unavailable'],
    handle: async ({ merchant, query: { type, paymentMethodID } }) => {
      const rate = await quoteFee(parts, { merchantId: merchant.id, type, paymentMethodId: paymentMethodID })
      return { status: 200, body: feeRateView(rate) }
    },
  })
}

function amountRoute(parts: FeeQueryParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/fees/amount',
    auth: 'any',
    summary: 'Compute the fee of an amount, and the amount after fees',
    description: namesTaken,
    query: Type.Object({ ...feeQuery, amount: assetAmount }, otherNames),
    example: { query: { type: 'onetime', paymentMethodID: 1, amount: '100' } },
    replies: { 200: FeeAmountView },
    errors: ['rate-unavailable'],
    handle: async ({ merchant, query: { type, amount, paymentMethodID } }) => {
      const rate = await quoteFee(parts, { merchantId: merchant.id, type, paymentMethodId: paymentMethodID })
      return { status: 200, body: feeAmountView(rate, amount, feeOf(rate, amount)) }
    },
  })
}
