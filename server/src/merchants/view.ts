import { Type } from 'typebox'
import { decimalOut, nullable, oneOf, uuid } from '../http/wire.ts'
import { type Merchant, paidWhenValues, tolerancePercent } from './merchant.ts'

/** A merchant's balance in one payment method. */
export const balanceEntryView = Type.Object({
  paymentMethodID: Type.Integer(),
  balance: decimalOut,
  symbol: Type.String(),
})

export const merchantView = Type.Object({
  id: uuid,
  name: Type.String(),
  settings: Type.Object({
    webhookUrl: nullable(Type.String()),
    ipWhitelist: Type.Array(Type.String()),
    paidWhen: oneOf(paidWhenValues),
    tolerancePercent: decimalOut,
  }),
})

export function viewMerchant({ id, name, settings }: Merchant) {
  return {
    id,
    name,
    settings: {
      webhookUrl: settings.webhookUrl ?? null,
      ipWhitelist: [...settings.ipWhitelist],
      paidWhen: settings.paidWhen,
      tolerancePercent: tolerancePercent(settings),
    },
  }
}
