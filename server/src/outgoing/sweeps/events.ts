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
import type { MerchantSweep } from './sweep.ts'

/** The money that a merchant sweep has taken. */
export interface TakenShare {
  readonly amountMinor: bigint
  readonly transactions: number
  readonly txHash: string | undefined
  readonly endedAt: Date
}

const completedKind = eventKind({
  type: 'collection.completed',
  fires:
    'A sweep that moved money from deposit addresses to the hot wallet is final. It does not change balances: they were credited when the payments were confirmed.',
  data: Type.Object({
    sweepID: idOf('the sweep'),
    amount: decimalOf('the amount that was swept'),
    currency: boundedText('the symbol of the asset'),
    paymentMethodID: paymentMethodId,
    transactions: Type.Integer({ minimum: 0, description: 'the number of swept payments', examples: [3] }),
    txHash: nullable(boundedText('the hash of the transaction that swept it')),
    completedAt: timestampOut,
  }),
})

/** The events that merchants receive about sweeps. */
export const sweepEventKinds = [completedKind]

/** Builds the event of a completed merchant sweep. The event is sent once, after the sweep is final. */
export function completedEvent(
  methods: PaymentMethods,
  { id, merchantId, paymentMethodId }: MerchantSweep,
  { amountMinor, transactions, txHash, endedAt }: TakenShare,
): NewEvent {
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a sweep')
  return eventOf(
    completedKind,
    { merchantId, subject: id, occurredAt: endedAt },
    {
      sweepID: id,
      amount: formatDecimal(amountMinor, decimals),
      currency: symbol,
      paymentMethodID: paymentMethodId,
      transactions,
      txHash: txHash ?? null,
      completedAt: endedAt.toISOString(),
    },
  )
}
