import { required } from '../core/assert.ts'
import { formatDecimal } from '../core/money.ts'
import type { NewEvent } from '../outbox/event.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { Collection } from './collection.ts'

/** What a collection brought in. */
export interface TakenShare {
  readonly amountMinor: bigint
  readonly transactions: number
  readonly txHash: string | undefined
  readonly endedAt: Date
}

/**
 * Told once when money was brought in for good. `data`: collectionID, amount (what was taken), currency,
 * paymentMethodID, transactions (how many deposits that was), txHash, completedAt.
 */
export function completedEvent(
  methods: PaymentMethods,
  { id, merchantId, paymentMethodId }: Collection,
  { amountMinor, transactions, txHash, endedAt }: TakenShare,
): NewEvent {
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a collection')
  const data = {
    collectionID: id,
    amount: formatDecimal(amountMinor, decimals),
    currency: symbol,
    paymentMethodID: paymentMethodId,
    transactions,
    txHash: txHash ?? null,
    completedAt: endedAt.toISOString(),
  }
  return { merchantId, type: 'collection.completed', subject: id, occurredAt: endedAt, data }
}
