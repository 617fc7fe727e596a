import { Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import {
  boundedText,
  decimalOf,
  idOf,
  nullable,
  paymentMethodId,
  timestampOut,
} from '../../platform/http/wire.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import { eventKind, eventOf } from '../../platform/outbox/event-kind.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Collection } from './sweep.ts'

/** What a collection brought in. */
export interface TakenShare {
  readonly amountMinor: bigint
  readonly transactions: number
  readonly txHash: string | undefined
  readonly endedAt: Date
}

const completedKind = eventKind({
  type: 'collection.completed',
  fires:
    'A sweep has brought money from deposit addresses to the hot wallet for good. Balances do not change by it: they were credited when the payments were confirmed.',
  data: Type.Object({
    collectionID: idOf('the collection'),
    amount: decimalOf('what was brought in'),
    currency: boundedText('the symbol of the asset'),
    paymentMethodID: paymentMethodId,
    transactions: Type.Integer({ minimum: 0, description: 'how many payments that is', examples: [3] }),
    txHash: nullable(boundedText('the transaction that brought it in')),
    completedAt: timestampOut,
  }),
})

/** What merchants are told of collections. */
export const collectionEventKinds = [completedKind]

/** Told once when money was brought in for good. */
export function completedEvent(
  methods: PaymentMethods,
  { id, merchantId, paymentMethodId }: Collection,
  { amountMinor, transactions, txHash, endedAt }: TakenShare,
): NewEvent {
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a collection')
  return eventOf(
    completedKind,
    { merchantId, subject: id, occurredAt: endedAt },
    {
      collectionID: id,
      amount: formatDecimal(amountMinor, decimals),
      currency: symbol,
      paymentMethodID: paymentMethodId,
      transactions,
      txHash: txHash ?? null,
      completedAt: endedAt.toISOString(),
    },
  )
}
