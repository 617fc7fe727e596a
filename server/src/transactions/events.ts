import { required } from '../core/assert.ts'
import { formatDecimal } from '../core/money.ts'
import type { EventType, NewEvent } from '../outbox/event.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { isAmlOk, type Transaction } from './transaction.ts'

/**
 * Told when a payment is first seen, be it in a mempool or in a block, and again when it enters a block after a reorganisation.
 * `amlOk` is false where its sender did not pass screening, or could not be screened so far. Nobody is told of nobody's money.
 */
export function detectedEvent(methods: PaymentMethods, transaction: Transaction): readonly NewEvent[] {
  const { inclusion, includedAt, firstSeenAt } = transaction
  if (inclusion === 1 && firstSeenAt !== undefined) return []
  const at = required(includedAt ?? firstSeenAt, 'when a payment was seen')
  return event(methods, 'transaction.detected', transaction, at, { amlOk: isAmlOk(transaction) })
}

/**
 * Told when a payment has the confirmations it needs; `net` is what was credited, null while kept below the minimum. Of
 * one in quarantine it is told once it is released.
 */
export function confirmedEvent(methods: PaymentMethods, transaction: Transaction): readonly NewEvent[] {
  const { decimals } = required(methods.byId(transaction.paymentMethodId), 'the method of a transaction')
  const confirmedAt = required(transaction.confirmedAt, 'the time of a confirmation')
  const written = (amountMinor: bigint | undefined) =>
    amountMinor === undefined ? null : formatDecimal(amountMinor, decimals)
  return event(methods, 'transaction.confirmed', transaction, confirmedAt, {
    fee: written(transaction.feeMinor),
    net: written(transaction.netMinor),
    confirmedAt: confirmedAt.toISOString(),
  })
}

/**
 * Told in place of its confirmation when a payment has the confirmations it needs and its sender did not pass screening:
 * nothing is credited until it is released. `reason` is `listed`, or `unknown` where the sender could not be screened.
 */
export function quarantinedEvent(methods: PaymentMethods, transaction: Transaction): readonly NewEvent[] {
  const confirmedAt = required(transaction.confirmedAt, 'the time of a confirmation')
  return event(methods, 'transaction.quarantined', transaction, confirmedAt, {
    reason: transaction.verdict,
    confirmedAt: confirmedAt.toISOString(),
  })
}

/** Told when the block of a payment is no longer canonical. */
export function revertedEvent(
  methods: PaymentMethods,
  transaction: Transaction,
  at: Date,
): readonly NewEvent[] {
  return event(methods, 'transaction.reverted', transaction, at, {
    wasConfirmed: transaction.state === 'confirmed',
    wasFailed: false,
  })
}

/** Told when a transaction that spends the same money, `replacedBy`, is in a final block. */
export function failedEvent(
  methods: PaymentMethods,
  transaction: Transaction,
  at: Date,
): readonly NewEvent[] {
  const { replacedBy } = transaction
  return event(methods, 'transaction.failed', transaction, at, { replacedBy }, transaction.failures)
}

/** Told when a reorganisation takes back what made a payment fail: it waits again. */
export function restoredEvent(
  methods: PaymentMethods,
  transaction: Transaction,
  at: Date,
): readonly NewEvent[] {
  const more = { wasConfirmed: false, wasFailed: true }
  return event(methods, 'transaction.reverted', transaction, at, more, transaction.failures)
}

function event(
  methods: PaymentMethods,
  type: EventType,
  transaction: Transaction,
  occurredAt: Date,
  more: Readonly<Record<string, unknown>>,
  /** Tells apart what may be told more than once of one inclusion. */
  failure?: number,
): readonly NewEvent[] {
  const { id, inclusion, merchantId, invoiceId, amountMinor, paymentMethodId, txHash } = transaction
  if (merchantId === undefined) return []
  const method = required(methods.byId(paymentMethodId), 'the method of a transaction')
  const data = {
    transactionID: id,
    invoiceID: invoiceId,
    amount: formatDecimal(amountMinor, method.decimals),
    currency: method.symbol,
    txHash,
    ...more,
  }
  const subject = [id, inclusion, failure ?? []].flat().join(':')
  return [{ merchantId, type, subject, occurredAt, data }]
}
