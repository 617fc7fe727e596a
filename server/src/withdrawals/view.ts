import { Type } from 'typebox'
import type { AddressCodec } from '../chains/port.ts'
import { required } from '../core/assert.ts'
import { formatDecimal } from '../core/money.ts'
import { decimalOut, nullable, oneOf, timestamp, timestampOut, uuid } from '../http/wire.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { netMinor, type Withdrawal, withdrawalStages, withdrawalStates } from './withdrawal.ts'

export const WithdrawalStateView = oneOf(withdrawalStates, { title: 'WithdrawalState' })

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
    fee: decimalOut,
    net: Type.String({ description: 'a decimal string: what the recipient gets, the amount less the fee' }),
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
  const { state, stage = null } = withdrawal.standing
  return {
    id: withdrawal.id,
    address: codecOf(method.network).display(withdrawal.address),
    amount: formatDecimal(withdrawal.amountMinor, method.decimals),
    paymentMethodID: method.id,
    state,
    createdAt: timestamp(withdrawal.createdAt),
    txHash: withdrawal.txHash ?? null,
    stage,
    fee: formatDecimal(withdrawal.feeMinor, method.decimals),
    net: formatDecimal(netMinor(withdrawal), method.decimals),
    invoiceID: withdrawal.invoiceId ?? null,
  }
}
