import { Type } from 'typebox'
import { formatDecimal, usdDecimals } from '../core/money.ts'
import { decimalOut } from '../http/wire.ts'
import type { Limits } from './limit.ts'

export const LimitsView = Type.Object({
  minCollect: decimalOut,
  minWithdraw: decimalOut,
  currency: Type.Literal('USD', { description: 'of minCollect and minWithdraw beside it' }),
  methods: Type.Array(
    Type.Object(
      {
        paymentMethodID: Type.Integer(),
        symbol: Type.String(),
        minCollect: decimalOut,
        minWithdraw: decimalOut,
      },
      { description: 'what holds in each enabled method, in its asset' },
    ),
  ),
})

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
