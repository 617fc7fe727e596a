import { Type } from 'typebox'
import { type Route, route } from '../../platform/http/route.ts'
import { assetAmount, paymentMethodId } from '../../platform/http/wire.ts'
import { type FeeQueryParts, feeOf, quoteFee } from './quote-fee.ts'
import { FeeAmountView, FeeRateView, FeeTypeView, feeAmountView, feeRateView } from './view.ts'

export function feeRoutes(parts: FeeQueryParts): readonly Route[] {
  return [rateRoute(parts), amountRoute(parts)]
}

const feeQuery = { type: FeeTypeView, paymentMethodID: Type.Optional(paymentMethodId) }

/** The specification leaves open what the two are called: they are taken under each name that it has for the same. */
const otherNames = {
  'x-aliases': {
    transactionType: 'type',
    paymentMethodId: 'paymentMethodID',
    methodID: 'paymentMethodID',
  },
}
const namesTaken =
  '`type` may be called `transactionType`, and `paymentMethodID` `paymentMethodId` or `methodID`.'

function rateRoute(parts: FeeQueryParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/fees',
    auth: 'any',
    summary: 'Show what a type of transaction costs a merchant',
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
    summary: 'Show what an amount costs a merchant, and what is left of it',
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
