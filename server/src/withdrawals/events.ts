import { required } from '../core/assert.ts'
import { formatDecimal } from '../core/money.ts'
import type { NewEvent } from '../outbox/event.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { EndCause } from './store.ts'
import { netMinor, type Withdrawal } from './withdrawal.ts'

/**
 * Told once when a withdrawal has ended. `data`: withdrawalID, amount, fee, net, currency, paymentMethodID, state, txHash
 * (null where nothing was sent), invoiceID (null unless it pays a claim), reason, explanation (why it failed, in words;
 * null where there is nothing to say), endedAt.
 */
export function endedEvent(
  methods: PaymentMethods,
  withdrawal: Withdrawal,
  { outcome, reason, explanation, endedAt }: EndCause & { readonly endedAt: Date },
): NewEvent {
  return {
    merchantId: withdrawal.merchantId,
    type: `withdrawal.${outcome}`,
    subject: withdrawal.isRetaken ? `${withdrawal.id}:retaken` : withdrawal.id,
    occurredAt: endedAt,
    data: {
      ...told(methods, withdrawal),
      state: outcome,
      reason,
      explanation: explanation ?? null,
      endedAt: endedAt.toISOString(),
    },
  }
}

/**
 * Told once when the first transaction of a withdrawal was sent. `data`: withdrawalID, amount, fee, net, currency,
 * paymentMethodID, state, txHash, invoiceID, broadcastAt. Another transaction may take its place for a higher fee;
 * `withdrawal.completed` names the one that is in a block.
 */
export function broadcastEvent(methods: PaymentMethods, withdrawal: Withdrawal, sentAt: Date): NewEvent {
  return {
    merchantId: withdrawal.merchantId,
    type: 'withdrawal.broadcast',
    subject: withdrawal.id,
    occurredAt: sentAt,
    data: { ...told(methods, withdrawal), state: 'pending', broadcastAt: sentAt.toISOString() },
  }
}

function told(methods: PaymentMethods, withdrawal: Withdrawal) {
  const { id, paymentMethodId, amountMinor, feeMinor, txHash = null, invoiceId = null } = withdrawal
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  return {
    withdrawalID: id,
    amount: formatDecimal(amountMinor, decimals),
    fee: formatDecimal(feeMinor, decimals),
    net: formatDecimal(netMinor(withdrawal), decimals),
    currency: symbol,
    paymentMethodID: paymentMethodId,
    txHash,
    invoiceID: invoiceId,
  }
}
