import { Type } from 'typebox'
import { formatDecimal, usdDecimals } from '../../core/money.ts'
import { merchantName } from '../../merchants/merchant-names.ts'
import { decimalOut, nullable, uuid } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { Limits } from './limit.ts'
import type { OverridePair } from './store.ts'

export const LimitsView = Type.Object(
  {
    minCollect: decimalOut,
    minWithdraw: decimalOut,
    currency: Type.Literal('USD', { description: 'the currency of this minCollect and minWithdraw' }),
    methods: Type.Array(
      Type.Object(
        {
          paymentMethodID: Type.Integer(),
          symbol: Type.String(),
          minCollect: decimalOut,
          minWithdraw: decimalOut,
        },
        { description: 'the minimums of an enabled payment method, in its asset' },
      ),
    ),
  },
  { title: 'Limits' },
)

export function limitsView({ minCollectUsd, minWithdrawUsd, methods }: Limits) {
  return {
    minCollect: formatDecimal(minCollectUsd, usdDecimals),
    minWithdraw: formatDecimal(minWithdrawUsd, usdDecimals),
    currency: 'USD' as const,
    methods: methods.map(({ method, minCollectMinor, minWithdrawMinor }) => ({
      paymentMethodID: method.id,
      symbol: method.symbol,
      minCollect: formatDecimal(minCollectMinor, method.decimals),
      minWithdraw: formatDecimal(minWithdrawMinor, method.decimals),
    })),
  }
}

export const OverrideView = Type.Object(
  {
    merchantID: nullable(uuid),
    merchantName,
    paymentMethodID: nullable(Type.Integer()),
    minCollect: nullable(decimalOut),
    minWithdraw: nullable(decimalOut),
    currency: Type.String({
      description: 'USD for all methods, or the symbol of the payment method',
      examples: ['USD'],
    }),
  },
  { title: 'LimitOverride' },
)

export function overrideView(methods: Pick<PaymentMethods, 'byId'>, pair: OverridePair) {
  const { merchantId, paymentMethodId, minCollect, minWithdraw } = pair
  // The decimals of a token that has no contract on this chain are unknown, so its amounts stay in the
  // smallest unit.
  const { symbol, decimals } =
    paymentMethodId === undefined
      ? { symbol: 'USD', decimals: usdDecimals }
      : (methods.byId(paymentMethodId) ?? { symbol: 'smallest unit', decimals: 0 })
  const shown = (figure: bigint | undefined) =>
    figure === undefined ? null : formatDecimal(figure, decimals)
  return {
    merchantID: merchantId ?? null,
    paymentMethodID: paymentMethodId ?? null,
    minCollect: shown(minCollect),
    minWithdraw: shown(minWithdraw),
    currency: symbol,
  }
}
