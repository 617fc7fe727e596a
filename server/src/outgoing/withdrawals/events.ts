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

const toldFields = {
  withdrawalID: idOf('the withdrawal'),
  amount: decimalOf('what leaves the balance'),
  fee: decimalOf('what of it is kept', '0.20'),
  net: decimalOf('what the recipient gets, the amount less the fee', '12.30'),
  currency: boundedText('the symbol of the asset'),
  paymentMethodID: paymentMethodId,
  invoiceID: nullable(uuid, {
    description: 'the withdraw invoice whose claim it pays; null for others',
    examples: [null],
  }),
}

const sentHash = boundedText('the transaction that pays it')

const broadcastKind = eventKind({
  type: 'withdrawal.broadcast',
  fires:
    'The first transaction of a withdrawal was sent to the chain. Another may take its place for a higher network fee; `withdrawal.completed` names the one that is in a block.',
  data: Type.Object({
    ...toldFields,
    state: Type.Literal('pending'),
    txHash: sentHash,
    broadcastAt: timestampOut,
  }),
})

/** @param example what is shown of why it ended */
function endedFields(example: { reason: EndReason | null; explanation: string | null }) {
  return {
    ...toldFields,
    reason: nullable(WithdrawalEndReasonView, {
      description: 'who or what ended it; null for a completed one',
      examples: [example.reason],
    }),
    explanation: nullable(boundedText('why it ended, in words', explanationChars), {
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

const unsentHash = nullable(boundedText('the last transaction that was sent for it; null where none was'), {
  examples: [null],
})

const failedKind = eventKind({
  type: 'withdrawal.failed',
  fires:
    'A withdrawal cannot be paid, or was refused: its amount is available again, less `networkCost` where it failed on its chain.',
  data: Type.Object({
    ...endedFields({ reason: 'operator', explanation: 'the recipient could not be confirmed' }),
    state: Type.Literal('failed'),
    networkCost: nullable(
      decimalOf('what the network took for the failed transaction, kept of the amount', '0.00042'),
      { examples: [null] },
    ),
    txHash: unsentHash,
  }),
})

const cancelledKind = eventKind({
  type: 'withdrawal.cancelled',
  fires:
    'A withdrawal was cancelled before anything was sent, by its merchant, or because a deposit that it was to be paid from was taken back by its chain. Its whole amount is available again.',
  data: Type.Object({
    ...endedFields({ reason: 'merchant', explanation: null }),
    state: Type.Literal('cancelled'),
    txHash: unsentHash,
  }),
})

/** What merchants are told of withdrawals. */
export const withdrawalEventKinds = [broadcastKind, completedKind, failedKind, cancelledKind]

/** Told once when a withdrawal has ended. */
export function endedEvent(
  methods: PaymentMethods,
  withdrawal: Withdrawal,
  cause: Omit<EndCause, 'chargedMinor'> & { readonly endedAt: Date; readonly networkCostMinor: bigint },
): NewEvent {
  const { outcome, reason, explanation, endedAt, networkCostMinor } = cause
  const { id, merchantId, isRetaken, txHash } = withdrawal
  const occasion = { merchantId, subject: isRetaken ? `${id}:retaken` : id, occurredAt: endedAt }
  const ended = {
    ...told(methods, withdrawal),
    // That of a completed one is no news: it went as it should.
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

/** Told once when the first transaction of a withdrawal was sent. */
export function broadcastEvent(methods: PaymentMethods, withdrawal: Withdrawal, sentAt: Date): NewEvent {
  const { id, merchantId, txHash } = withdrawal
  return eventOf(
    broadcastKind,
    { merchantId, subject: id, occurredAt: sentAt },
    {
      ...told(methods, withdrawal),
      state: 'pending',
      txHash: required(txHash, 'the transaction of a withdrawal that was sent'),
      broadcastAt: sentAt.toISOString(),
    },
  )
}

function written(methods: PaymentMethods, { paymentMethodId }: Withdrawal, minor: bigint): string {
  return formatDecimal(minor, required(methods.byId(paymentMethodId), 'the method of a withdrawal').decimals)
}

function told(methods: PaymentMethods, withdrawal: Withdrawal) {
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

/** A node's own words may be in it, of any length. */
function cut(explanation: string): string {
  return [...explanation].slice(0, explanationChars).join('')
}
