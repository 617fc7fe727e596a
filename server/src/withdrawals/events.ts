import { required } from '../core/assert.ts'
import { formatDecimal } from '../core/money.ts'
import type { NewEvent } from '../outbox/event.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { netMinor, type Outcome, type Withdrawal } from './withdrawal.ts'

/** Who or what ended a withdrawal: its merchant, the payout itself, or a deposit that its chain took back. */
export type EndReason = 'merchant' | 'payout' | 'shortfall'

/**
 * Told once when a withdrawal has ended. `data`: withdrawalID, amount, fee, net, currency, paymentMethodID, state, txHash
 * (null where nothing was sent), invoiceID (null unless it pays a claim), reason, endedAt.
 */
export function endedEvent(
  methods: PaymentMethods,
  withdrawal: Withdrawal,
  { outcome, reason, endedAt }: { outcome: Outcome; reason: EndReason; endedAt: Date },
): NewEvent {
  const {
    id,
    merchantId,
    paymentMethodId,
    amountMinor,
    feeMinor,
    txHash = null,
    invoiceId = null,
  } = withdrawal
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  const data = {
    withdrawalID: id,
    amount: formatDecimal(amountMinor, decimals),
    fee: formatDecimal(feeMinor, decimals),
    net: formatDecimal(netMinor(withdrawal), decimals),
    currency: symbol,
    paymentMethodID: paymentMethodId,
    state: outcome,
    txHash,
    invoiceID: invoiceId,
    reason,
    endedAt: endedAt.toISOString(),
  }
  return { merchantId, type: `withdrawal.${outcome}`, subject: id, occurredAt: endedAt, data }
}
