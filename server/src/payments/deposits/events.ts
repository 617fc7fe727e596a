import { type Static, Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import { boundedText, decimalOf, idOf, nullable, oneOf, timestampOut } from '../../platform/http/wire.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import { type EventOccasion, eventKind, eventOf } from '../../platform/outbox/event-kind.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { isAmlOk, quarantineReason, quarantineReasons, type Transaction } from './deposit.ts'

const toldFields = Type.Object({
  transactionID: idOf('the transaction'),
  invoiceID: idOf('the invoice that was paid to'),
  amount: decimalOf('what was sent'),
  currency: boundedText('the symbol of the asset'),
  txHash: boundedText('the transaction on chain'),
})

type Told = Static<typeof toldFields>
type Tell = (occasion: EventOccasion, data: Told) => NewEvent

const detectedKind = eventKind({
  type: 'transaction.detected',
  fires:
    'A payment was seen, in a block or on its way into one. It can still be taken back: nothing is credited yet. Told again when it is found in another block after a reorganisation.',
  data: Type.Object({
    ...toldFields.properties,
    amlOk: Type.Boolean({
      description: 'false where its sender did not pass screening, or could not be screened so far',
    }),
  }),
})

const confirmedKind = eventKind({
  type: 'transaction.confirmed',
  fires:
    'A payment has the confirmations it needs, and counts: it was credited, or waits below the minimum. Of one in quarantine it is told once it is released.',
  data: Type.Object({
    ...toldFields.properties,
    fee: nullable(decimalOf('what was kept; null while it is below the minimum', '0.22')),
    net: nullable(
      decimalOf(
        'what was credited; null while it is below the minimum, which it may reach together with others',
        '12.28',
      ),
    ),
    confirmedAt: timestampOut,
  }),
})

const quarantinedKind = eventKind({
  type: 'transaction.quarantined',
  fires:
    'Told in place of `transaction.confirmed`: a payment has the confirmations it needs, and its sender did not pass screening, or nobody can have moved as much. Nothing is credited until it is released.',
  data: Type.Object({
    ...toldFields.properties,
    reason: oneOf(quarantineReasons, {
      title: 'QuarantineReason',
      description:
        '`listed`: its sender is on a sanctions list; `unknown`: it could not be screened; `implausible`: the token tells of more than there is of it',
    }),
    confirmedAt: timestampOut,
  }),
})

const revertedKind = eventKind({
  type: 'transaction.reverted',
  fires:
    'The block of a payment is no longer part of its chain, and what was credited is taken back; or what made it fail is. Usually the same transaction is mined again, and `transaction.detected` follows.',
  data: Type.Object({
    ...toldFields.properties,
    wasConfirmed: Type.Boolean({ description: 'whether it had been credited, or put into quarantine' }),
    wasFailed: Type.Boolean({ description: 'whether it had failed, and waits again', examples: [false] }),
  }),
})

const failedKind = eventKind({
  type: 'transaction.failed',
  fires:
    'A payment that was seen will never come: another transaction that spends the same money is final. On chains with accounts, such as Ethereum, this does not happen to what was seen in a block.',
  data: Type.Object({
    ...toldFields.properties,
    replacedBy: nullable(boundedText('the transaction that took its place'), {
      examples: [`0x${'5e'.repeat(32)}`],
    }),
  }),
})

/** What merchants are told of transactions. */
export const transactionEventKinds = [detectedKind, confirmedKind, quarantinedKind, revertedKind, failedKind]

/** Told when a payment is first seen, and again when it enters a block after a reorganisation. */
export function detectedEvent(methods: PaymentMethods, transaction: Transaction): readonly NewEvent[] {
  const { inclusion, includedAt, firstSeenAt } = transaction
  if (inclusion === 1 && firstSeenAt !== undefined) return []
  const at = required(includedAt ?? firstSeenAt, 'when a payment was seen')
  return told(methods, transaction, at, (occasion, data) =>
    eventOf(detectedKind, occasion, { ...data, amlOk: isAmlOk(transaction) }),
  )
}

/** Told when a payment has the confirmations it needs; of one in quarantine once it is released. */
export function confirmedEvent(methods: PaymentMethods, transaction: Transaction): readonly NewEvent[] {
  const { decimals } = required(methods.byId(transaction.paymentMethodId), 'the method of a transaction')
  const confirmedAt = required(transaction.confirmedAt, 'the time of a confirmation')
  const written = (amountMinor: bigint | undefined) =>
    amountMinor === undefined ? null : formatDecimal(amountMinor, decimals)
  return told(methods, transaction, confirmedAt, (occasion, data) =>
    eventOf(confirmedKind, occasion, {
      ...data,
      fee: written(transaction.feeMinor),
      net: written(transaction.netMinor),
      confirmedAt: confirmedAt.toISOString(),
    }),
  )
}

/** Told in place of its confirmation when the sender of a payment did not pass screening. */
export function quarantinedEvent(methods: PaymentMethods, transaction: Transaction): readonly NewEvent[] {
  const confirmedAt = required(transaction.confirmedAt, 'the time of a confirmation')
  const reason = quarantineReason(transaction)
  return told(methods, transaction, confirmedAt, (occasion, data) =>
    eventOf(quarantinedKind, occasion, { ...data, reason, confirmedAt: confirmedAt.toISOString() }),
  )
}

/** Told when the block of a payment is no longer canonical. */
export function revertedEvent(
  methods: PaymentMethods,
  transaction: Transaction,
  at: Date,
): readonly NewEvent[] {
  const wasConfirmed = transaction.state === 'confirmed'
  return told(methods, transaction, at, (occasion, data) =>
    eventOf(revertedKind, occasion, { ...data, wasConfirmed, wasFailed: false }),
  )
}

/** Told when a transaction that spends the same money, `replacedBy`, is in a final block. */
export function failedEvent(
  methods: PaymentMethods,
  transaction: Transaction,
  at: Date,
): readonly NewEvent[] {
  const { replacedBy = null, failures } = transaction
  const tell: Tell = (occasion, data) => eventOf(failedKind, occasion, { ...data, replacedBy })
  return told(methods, transaction, at, tell, failures)
}

/** Told when a reorganisation takes back what made a payment fail: it waits again. */
export function restoredEvent(
  methods: PaymentMethods,
  transaction: Transaction,
  at: Date,
): readonly NewEvent[] {
  const tell: Tell = (occasion, data) =>
    eventOf(revertedKind, occasion, { ...data, wasConfirmed: false, wasFailed: true })
  return told(methods, transaction, at, tell, transaction.failures)
}

/** Nobody is told of nobody's money. */
function told(
  methods: PaymentMethods,
  transaction: Transaction,
  occurredAt: Date,
  tell: Tell,
  /** Tells apart what may be told more than once of one inclusion. */
  failure?: number,
): readonly NewEvent[] {
  const { id, inclusion, merchantId, amountMinor, paymentMethodId, txHash } = transaction
  if (merchantId === undefined) return []
  const method = required(methods.byId(paymentMethodId), 'the method of a transaction')
  const data = {
    transactionID: id,
    invoiceID: required(transaction.invoiceId, "the invoice of a merchant's transaction"),
    amount: formatDecimal(amountMinor, method.decimals),
    currency: method.symbol,
    txHash,
  }
  const subject = [id, inclusion, failure ?? []].flat().join(':')
  return [tell({ merchantId, subject, occurredAt }, data)]
}
