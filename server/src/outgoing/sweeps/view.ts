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
import { type Collection, collectionStates } from './sweep.ts'

export const CollectionStateView = oneOf(collectionStates, { title: 'CollectionState' })

export const CollectionView = Type.Object(
  {
    id: uuid,
    paymentMethodID: Type.Integer(),
    amount: Type.String({ description: 'a decimal string: what is to be taken; once completed, what was' }),
    transactions: Type.Integer({ description: 'how many payments that is' }),
    state: CollectionStateView,
    txHash: nullable(Type.String()),
    createdAt: timestampOut,
    completedAt: nullable(timestampOut),
  },
  { title: 'Collection' },
)

export function collectionView(methods: PaymentMethods, collection: Collection) {
  const method = required(methods.byId(collection.paymentMethodId), 'the method of a collection')
  const { id, amountMinor, transactions, state, txHash = null, createdAt, endedAt } = collection
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
