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
  uuid,
} from '../../platform/http/wire.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import { eventKind, eventOf } from '../../platform/outbox/event-kind.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { EndCause } from './store.ts'
import { WithdrawalEndReasonView } from './view.ts'
import { type EndReason, netMinor, type Withdrawal } from './withdrawal.ts'

const explanationChars = 1_000

const withdrawalFields = {
  withdrawalID: idOf('the withdrawal'),
  amount: decimalOf('the amount debited from the balance'),
  fee: decimalOf('the fee, which is part of the amount', '0.20'),
  net: decimalOf('what the recipient receives, the amount less the fee', '12.30'),
  currency: boundedText('the symbol of the asset'),
  paymentMethodID: paymentMethodId,
  invoiceID: nullable(uuid, {
    description: 'the withdraw invoice whose claim it pays; null for others',
    examples: [null],
  }),
}

const sentHash = boundedText('the hash of the transaction that pays it')

const broadcastKind = eventKind({
  type: 'withdrawal.broadcast',
  fires:
    'The first transaction of a withdrawal was sent to the chain. It may be replaced by one with a higher network fee; `withdrawal.completed` names the one that is in a block.',
  data: Type.Object({
    ...withdrawalFields,
    state: Type.Literal('pending'),
    txHash: sentHash,
    broadcastAt: timestampOut,
  }),
})

/** @param example the reason and explanation that the documentation shows */
function endedFields(example: { reason: EndReason | null; explanation: string | null }) {
  return {
    ...withdrawalFields,
    reason: nullable(WithdrawalEndReasonView, {
      description: 'who or what ended it; null for a completed one',
      examples: [example.reason],
    }),
    explanation: nullable(boundedText('an explanation of why it ended', explanationChars), {
      examples: [example.explanation],
    }),
    endedAt: timestampOut,
  }
}

const completedKind = eventKind({
  type: 'withdrawal.completed',
  fires: 'The transaction of a withdrawal is final on its chain: the recipient has the money.',
  data: Type.Object({
    ...endedFields({ reason: null, explanation: null }),
    state: Type.Literal('completed'),
    txHash: sentHash,
  }),
})

const unsentHash = nullable(
  boundedText('the hash of the last transaction that was sent for it; null if none was sent'),
  {
    examples: [null],
  },
)

const failedKind = eventKind({
  type: 'withdrawal.failed',
  fires:
    'A withdrawal cannot be paid or was rejected: its amount is available again, less `networkCost` if it failed on its chain.',
  data: Type.Object({
    ...endedFields({ reason: 'operator', explanation: 'the recipient could not be confirmed' }),
    state: Type.Literal('failed'),
    networkCost: nullable(
      decimalOf('the network fee of the failed transaction, which is deducted from the amount', '0.00042'),
      { examples: [null] },
    ),
    txHash: unsentHash,
  }),
})

const cancelledKind = eventKind({
  type: 'withdrawal.cancelled',
  fires:
    'A withdrawal was cancelled before anything was sent, by its merchant, or because its chain reversed a deposit from which it was to be paid. Its whole amount is available again.',
  data: Type.Object({
    ...endedFields({ reason: 'merchant', explanation: null }),
    state: Type.Literal('cancelled'),
    txHash: unsentHash,
  }),
})

/** The events that merchants receive about withdrawals. */
export const withdrawalEventKinds = [broadcastKind, completedKind, failedKind, cancelledKind]

/** Returns the event of a withdrawal that has ended. The event is sent once. */
export function endedEvent(
  methods: PaymentMethods,
  withdrawal: Withdrawal,
  cause: Pick<EndCause, 'outcome' | 'reason' | 'explanation'> & {
    readonly endedAt: Date
    readonly networkCostMinor: bigint
  },
): NewEvent {
  const { outcome, reason, explanation, endedAt, networkCostMinor } = cause
  const { id, merchantId, isRetaken, txHash } = withdrawal
  const occasion = { merchantId, subject: isRetaken ? `${id}:retaken` : id, occurredAt: endedAt }
  const ended = {
    ...eventsOf(methods, withdrawal),
    // A completed withdrawal has no reason, because it ended as intended.
    reason: outcome === 'completed' ? null : reason,
    explanation: explanation === undefined ? null : cut(explanation),
    endedAt: endedAt.toISOString(),
  }
  switch (outcome) {
    case 'completed': {
      const paidBy = required(txHash, 'the transaction of a completed withdrawal')
      return eventOf(completedKind, occasion, { ...ended, state: outcome, txHash: paidBy })
    }
    case 'failed':
      return eventOf(failedKind, occasion, {
        ...ended,
        state: outcome,
        networkCost: networkCostMinor === 0n ? null : written(methods, withdrawal, networkCostMinor),
        txHash: txHash ?? null,
      })
    case 'cancelled':
      return eventOf(cancelledKind, occasion, { ...ended, state: outcome, txHash: txHash ?? null })
  }
}

/** Returns the event of a withdrawal whose first transaction was sent. The event is sent once. */
export function broadcastEvent(methods: PaymentMethods, withdrawal: Withdrawal, sentAt: Date): NewEvent {
  const { id, merchantId, txHash } = withdrawal
  return eventOf(
    broadcastKind,
    { merchantId, subject: id, occurredAt: sentAt },
    {
      ...eventsOf(methods, withdrawal),
      state: 'pending',
      txHash: required(txHash, 'the transaction of a withdrawal that was sent'),
      broadcastAt: sentAt.toISOString(),
    },
  )
}

function written(methods: PaymentMethods, { paymentMethodId }: Withdrawal, minor: bigint): string {
  return formatDecimal(minor, required(methods.byId(paymentMethodId), 'the method of a withdrawal').decimals)
}

function eventsOf(methods: PaymentMethods, withdrawal: Withdrawal) {
  const { id, paymentMethodId, amountMinor, feeMinor, invoiceId = null } = withdrawal
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  return {
    withdrawalID: id,
    amount: formatDecimal(amountMinor, decimals),
    fee: formatDecimal(feeMinor, decimals),
    net: formatDecimal(netMinor(withdrawal), decimals),
    currency: symbol,
    paymentMethodID: paymentMethodId,
    invoiceID: invoiceId,
  }
}

/** Shortens an explanation, because it may quote a node's message of any length. */
function cut(explanation: string): string {
  return [...explanation].slice(0, explanationChars).join('')
}
