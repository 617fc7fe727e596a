import { Type } from 'typebox'
import type { AddressCodec } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { formatDecimal, usdDecimals } from '../../core/money.ts'
import { merchantName } from '../../merchants/merchant-names.ts'
import { decimalOut, nullable, oneOf, timestamp, timestampOut, uuid } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { worthOf } from './approvals/approval.ts'
import {
  endReasons,
  netMinor,
  type Withdrawal,
  waitCauses,
  withdrawalStages,
  withdrawalStates,
} from './withdrawal.ts'

export const WithdrawalStateView = oneOf(withdrawalStates, { title: 'WithdrawalState' })
export const WithdrawalEndReasonView = oneOf(endReasons, { title: 'WithdrawalEndReason' })

export const WithdrawalView = Type.Object(
  {
    id: uuid,
    address: Type.String(),
    amount: decimalOut,
    paymentMethodID: Type.Integer(),
    state: WithdrawalStateView,
    createdAt: timestampOut,
    txHash: nullable(Type.String()),
    stage: nullable(oneOf(withdrawalStages, { title: 'WithdrawalStage' })),
    waitsFor: nullable(oneOf(waitCauses, { title: 'WithdrawalWait' })),
    reason: nullable(WithdrawalEndReasonView),
    explanation: nullable(Type.String({ description: 'an explanation of why it failed' })),
    fee: decimalOut,
    net: Type.String({
      description: 'a decimal string: what the recipient receives, the amount less the fee',
    }),
    networkCost: nullable(
      Type.String({
        description:
          'a decimal string: the cost of a failed transaction, which was deducted from the amount; null for others',
      }),
    ),
    invoiceID: nullable(uuid),
  },
  { title: 'Withdrawal' },
)

export interface WithdrawalViewParts {
  readonly methods: PaymentMethods
  codecOf(network: string): Pick<AddressCodec, 'display'>
}

export function withdrawalView({ methods, codecOf }: WithdrawalViewParts, withdrawal: Withdrawal) {
  const method = required(methods.byId(withdrawal.paymentMethodId), 'the method of a withdrawal')
  const { state, stage = null } = withdrawal.status
  return {
    id: withdrawal.id,
    address: codecOf(method.network).display(withdrawal.address),
    amount: formatDecimal(withdrawal.amountMinor, method.decimals),
    paymentMethodID: method.id,
    state,
    createdAt: timestamp(withdrawal.createdAt),
    txHash: withdrawal.txHash ?? null,
    stage,
    waitsFor: withdrawal.waitsFor ?? null,
    reason: withdrawal.endReason ?? null,
    explanation: withdrawal.endExplanation ?? null,
    fee: formatDecimal(withdrawal.feeMinor, method.decimals),
    net: formatDecimal(netMinor(withdrawal), method.decimals),
    networkCost:
      withdrawal.networkCostMinor === undefined
        ? null
        : formatDecimal(withdrawal.networkCostMinor, method.decimals),
    invoiceID: withdrawal.invoiceId ?? null,
  }
}

export const OperatorWithdrawalView = Type.Object(
  {
    merchantID: uuid,
    merchantName,
    symbol: Type.String(),
    worthUSD: nullable(
      Type.String({ description: 'the value at the current price; null if there is no recent price' }),
    ),
    isReleased: Type.Boolean({ description: 'whether an operator approved it' }),
    withdrawal: WithdrawalView,
  },
  { title: 'WithdrawalApproval' },
)

/** @param priceUsd the asset's price in 10^-12 USD per whole unit */
export function operatorWithdrawalView(
  parts: WithdrawalViewParts,
  withdrawal: Withdrawal,
  priceUsd: bigint | undefined,
) {
  const { symbol, decimals } = required(
    parts.methods.byId(withdrawal.paymentMethodId),
    'the method of a withdrawal',
  )
  const worthUsd = worthOf(withdrawal.amountMinor, { priceUsd, assetDecimals: decimals })
  return {
    merchantID: withdrawal.merchantId,
    symbol,
    worthUSD: worthUsd === undefined ? null : formatDecimal(worthUsd, usdDecimals),
    isReleased: withdrawal.isReleased,
    withdrawal: withdrawalView(parts, withdrawal),
  }
}
