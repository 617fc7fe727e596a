import { Type } from 'typebox'
import { decimalOut, nullable, oneOf, uuid } from '../platform/http/wire.ts'
import { type Merchant, paidWhenValues, tolerancePercent } from './merchant.ts'

export const paidWhenView = oneOf(paidWhenValues, { title: 'PaidWhen' })

/** A merchant's balance in one payment method. */
export const balanceEntryView = Type.Object(
  {
    paymentMethodID: Type.Integer(),
    balance: decimalOut,
    symbol: Type.String(),
  },
  { title: 'BalanceEntry' },
)

export const merchantView = Type.Object(
  {
    id: uuid,
    name: Type.String(),
    settings: Type.Object({
      webhookUrl: nullable(Type.String()),
      ipWhitelist: Type.Array(Type.String()),
      paidWhen: paidWhenView,
      tolerancePercent: decimalOut,
      creditsWrongNetwork: Type.Boolean({
        description:
          'whether a payment on a network that its invoice does not offer is credited once it is confirmed; if not, it waits for `POST /merchants/{merchantID}/transactions/{transactionID}/credit`',
        examples: [false],
      }),
    }),
  },
  { title: 'Merchant' },
)

export function viewMerchant({ id, name, settings }: Merchant) {
  return {
    id,
    name,
    settings: {
      webhookUrl: settings.webhookUrl ?? null,
      ipWhitelist: [...settings.ipWhitelist],
      paidWhen: settings.paidWhen,
      tolerancePercent: tolerancePercent(settings),
      creditsWrongNetwork: settings.creditsWrongNetwork,
    },
  }
}
