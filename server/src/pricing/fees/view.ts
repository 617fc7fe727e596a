import { Type } from 'typebox'
import { formatDecimal, usdDecimals } from '../../core/money.ts'
import { merchantName } from '../../merchants/merchant-names.ts'
import { decimalOut, nullable, oneOf, uuid } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { feeTypes, formatPercent } from './fee.ts'
import type { FeeAmount, FeeRate } from './quote-fee.ts'
import type { StoredSchedule } from './store.ts'

export const FeeTypeView = oneOf(feeTypes, { title: 'FeeType' })
const currency = Type.String({
  description: 'the symbol of the requested payment method, or USD',
  examples: ['USDT'],
})
const example = (amount: string) => ({ ...decimalOut, examples: [amount] })

export const FeeRateView = Type.Object(
  {
    type: FeeTypeView,
    paymentMethodID: nullable(Type.Integer()),
    percent: Type.String({ description: 'percent of the amount: "1.5" is 1.5 %', examples: ['1'] }),
    flat: Type.String({
      description: 'the flat fee of each transaction, a decimal string in `currency`',
      examples: ['0.1'],
    }),
    currency,
  },
  { title: 'FeeRate' },
)

export const FeeAmountView = Type.Object(
  {
    type: FeeTypeView,
    amount: example('100'),
    fee: example('1.1'),
    net: example('98.9'),
    currency,
  },
  { title: 'FeeAmount' },
)

export function feeRateView({ type, terms, unit }: FeeRate) {
  return {
    type,
    paymentMethodID: unit.paymentMethodId ?? null,
    percent: formatPercent(terms.percentBasisPoints),
    flat: formatDecimal(terms.flatMinor, unit.decimals),
    currency: unit.currency,
  }
}

/** @param amount The amount as the client sent it. */
export function feeAmountView({ type, unit }: FeeRate, amount: string, { feeMinor, netMinor }: FeeAmount) {
  return {
    type,
    amount,
    fee: formatDecimal(feeMinor, unit.decimals),
    net: formatDecimal(netMinor, unit.decimals),
    currency: unit.currency,
  }
}

export const StoredScheduleView = Type.Object(
  {
    type: FeeTypeView,
    merchantID: nullable(uuid),
    merchantName,
    paymentMethodID: nullable(Type.Integer()),
    percent: Type.String({ examples: ['1.5'] }),
    flat: Type.String({ description: 'in `currency`', examples: ['0.5'] }),
    currency: Type.String({ description: 'USD, or the symbol of the payment method', examples: ['USD'] }),
  },
  { title: 'FeeSchedule' },
)

export function storedScheduleView(
  methods: Pick<PaymentMethods, 'byId'>,
  { merchantId, paymentMethodId, schedule }: StoredSchedule,
) {
  const { type, percentBasisPoints, flat } = schedule
  const method = paymentMethodId === undefined ? undefined : methods.byId(paymentMethodId)
  const isUsd = 'usd' in flat
  return {
    type,
    merchantID: merchantId ?? null,
    paymentMethodID: paymentMethodId ?? null,
    percent: formatPercent(percentBasisPoints),
    flat: isUsd ? formatDecimal(flat.usd, usdDecimals) : formatDecimal(flat.minor, method?.decimals ?? 0),
    // The decimals of a token that has no contract on this chain are unknown, so its amounts stay in the
    // smallest unit.
    currency: isUsd ? 'USD' : (method?.symbol ?? 'smallest unit'),
  }
}
