import { Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import {
  nullable,
  oneOf,
  optionalTimestamp,
  timestamp,
  timestampOut,
  uuid,
} from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type MerchantSweep, merchantSweepStates } from './sweep.ts'

export const MerchantSweepStateView = oneOf(merchantSweepStates, { title: 'SweepState' })

export const MerchantSweepView = Type.Object(
  {
    id: uuid,
    paymentMethodID: Type.Integer(),
    amount: Type.String({
      description: 'a decimal string: the amount to sweep; once completed, the amount that was swept',
    }),
    transactions: Type.Integer({ description: 'the number of swept payments' }),
    state: MerchantSweepStateView,
    txHash: nullable(Type.String()),
    createdAt: timestampOut,
    completedAt: nullable(timestampOut),
  },
  { title: 'Sweep' },
)

export function merchantSweepView(methods: PaymentMethods, merchantSweep: MerchantSweep) {
  const method = required(methods.byId(merchantSweep.paymentMethodId), 'the method of a sweep')
  const { id, amountMinor, transactions, state, txHash = null, createdAt, endedAt } = merchantSweep
  return {
    id,
    paymentMethodID: method.id,
    amount: formatDecimal(amountMinor, method.decimals),
    transactions,
    state,
    txHash,
    createdAt: timestamp(createdAt),
    completedAt: state === 'completed' ? optionalTimestamp(endedAt) : null,
  }
}
