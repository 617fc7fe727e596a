import { type Static, Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import { boundedText, decimalOf, idOf, nullable, oneOf, timestampOut } from '../../platform/http/wire.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import { type EventOccasion, eventKind, eventOf } from '../../platform/outbox/event-kind.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type Deposit, isAmlOk, quarantineReason, quarantineReasons } from './deposit.ts'
import { foundByOf, foundBys } from './recording/found-by-balance.ts'
import { isOnWrongNetwork } from './wrong-network.ts'

const transactionFields = Type.Object({
  transactionID: idOf('the transaction'),
  invoiceID: idOf('the invoice to which it was paid'),
  amount: decimalOf('the amount that was sent'),
  currency: boundedText('the symbol of the asset'),
  txHash: boundedText(
    'the hash of the transaction on the chain; `balance:<chain id>:<address>:<block>` if it was found by balance',
  ),
  foundBy: oneOf(foundBys, {
    title: 'FoundBy',
    description:
      '`transfer`: a transaction on the chain; `balance`: found by balance, because its address held more coin than all known transactions brought',
  }),
})

type TransactionData = Static<typeof transactionFields>
type ToEvent = (occasion: EventOccasion, data: TransactionData) => NewEvent

const wrongNetworkField = Type.Boolean({
  description:
    'whether the payment came on a network that its invoice does not offer; it does not pay the invoice, and is credited only if the merchant decides so',
  examples: [false],
})

const detectedKind = eventKind({
  type: 'transaction.detected',
  fires:
    'A payment was detected, in a block or still unconfirmed. Nothing is credited yet, because the chain can still reverse it. Sent again when a reorganisation moves it to another block.',
  data: Type.Object({
    ...transactionFields.properties,
    amlOk: Type.Boolean({
      description: 'false if its sender did not pass screening or could not be screened so far',
    }),
    isWrongNetwork: wrongNetworkField,
  }),
})

const confirmedKind = eventKind({
  type: 'transaction.confirmed',
  fires:
    'A payment has the required confirmations: it was credited, it waits below the minimum, or it is on the wrong network and waits for a decision. For a payment in quarantine, the event is sent when it is released.',
  data: Type.Object({
    ...transactionFields.properties,
    fee: nullable(decimalOf('the fee; null if nothing is credited yet', '0.22')),
    net: nullable(
      decimalOf(
        'the credited amount; null while the payment is below the minimum, which it may reach together with others, and if it is on the wrong network and not credited',
        '12.28',
      ),
    ),
    confirmedAt: timestampOut,
    isWrongNetwork: wrongNetworkField,
  }),
})

const quarantinedKind = eventKind({
  type: 'transaction.quarantined',
  fires:
    'A payment has the required confirmations, but its sender did not pass screening or its amount is implausible. Sent instead of `transaction.confirmed`; nothing is credited until it is released.',
  data: Type.Object({
    ...transactionFields.properties,
    reason: oneOf(quarantineReasons, {
      title: 'QuarantineReason',
      description:
        '`listed`: its sender is on a sanctions list; `unknown`: it could not be screened; `implausible`: the token reports a transfer of more than its total supply',
    }),
    confirmedAt: timestampOut,
  }),
})

const revertedKind = eventKind({
  type: 'transaction.reverted',
  fires:
    'A reorganisation removed the block of a payment, and what was credited is taken back; or it removed the block that made the payment fail. Usually the same transaction is mined again, and `transaction.detected` follows.',
  data: Type.Object({
    ...transactionFields.properties,
    wasConfirmed: Type.Boolean({
      description: 'whether the payment had been credited or put into quarantine',
    }),
    wasFailed: Type.Boolean({
      description: 'whether the payment had failed and is pending again',
      examples: [false],
    }),
  }),
})

const failedKind = eventKind({
  type: 'transaction.failed',
  fires:
    'A detected payment can no longer be confirmed: another transaction that spends the same money is final. On chains with accounts, such as Ethereum, this does not happen to a payment that was in a block.',
  data: Type.Object({
    ...transactionFields.properties,
    replacedBy: nullable(boundedText('the transaction that replaced it'), {
      examples: [`0x${'5e'.repeat(32)}`],
    }),
  }),
})

/** The events about deposits that merchants receive. */
export const transactionEventKinds = [detectedKind, confirmedKind, quarantinedKind, revertedKind, failedKind]

/**
 * Builds the event for a payment that is seen for the first time, or that enters a block again after a
 * reorganisation. Returns no event for the first block of a payment that was reported while it was
 * unconfirmed.
 */
export function detectedEvent(methods: PaymentMethods, deposit: Deposit): readonly NewEvent[] {
  const { inclusion, includedAt, firstSeenAt } = deposit
  if (inclusion === 1 && firstSeenAt !== undefined) return []
  const at = required(includedAt ?? firstSeenAt, 'when a payment was seen')
  return eventsOf(methods, deposit, at, (occasion, data) =>
    eventOf(detectedKind, occasion, {
      ...data,
      amlOk: isAmlOk(deposit),
      isWrongNetwork: isOnWrongNetwork(methods, deposit),
    }),
  )
}

/**
 * Builds the event for a payment that has enough confirmations. For a payment in quarantine, the event is
 * built when the payment is released.
 */
export function confirmedEvent(methods: PaymentMethods, deposit: Deposit): readonly NewEvent[] {
  const { decimals } = required(methods.byId(deposit.paymentMethodId), 'the method of a transaction')
  const confirmedAt = required(deposit.confirmedAt, 'the time of a confirmation')
  const written = (amountMinor: bigint | undefined) =>
    amountMinor === undefined ? null : formatDecimal(amountMinor, decimals)
  return eventsOf(methods, deposit, confirmedAt, (occasion, data) =>
    eventOf(confirmedKind, occasion, {
      ...data,
      fee: written(deposit.feeMinor),
      net: written(deposit.netMinor),
      confirmedAt: confirmedAt.toISOString(),
      isWrongNetwork: isOnWrongNetwork(methods, deposit),
    }),
  )
}

/**
 * Builds the event for a confirmed payment that is put into quarantine. This event is sent instead of
 * `transaction.confirmed`.
 */
export function quarantinedEvent(methods: PaymentMethods, deposit: Deposit): readonly NewEvent[] {
  const confirmedAt = required(deposit.confirmedAt, 'the time of a confirmation')
  const reason = quarantineReason(deposit)
  return eventsOf(methods, deposit, confirmedAt, (occasion, data) =>
    eventOf(quarantinedKind, occasion, { ...data, reason, confirmedAt: confirmedAt.toISOString() }),
  )
}

/** Builds the event for a payment whose block is no longer canonical. */
export function revertedEvent(methods: PaymentMethods, deposit: Deposit, at: Date): readonly NewEvent[] {
  const wasConfirmed = deposit.state === 'confirmed'
  return eventsOf(methods, deposit, at, (occasion, data) =>
    eventOf(revertedKind, occasion, { ...data, wasConfirmed, wasFailed: false }),
  )
}

/**
 * Builds the event for a payment that failed, because the transaction `replacedBy` spends the same outputs
 * and is in a final block.
 */
export function failedEvent(methods: PaymentMethods, deposit: Deposit, at: Date): readonly NewEvent[] {
  const { replacedBy = null, failures } = deposit
  const toEvent: ToEvent = (occasion, data) => eventOf(failedKind, occasion, { ...data, replacedBy })
  return eventsOf(methods, deposit, at, toEvent, failures)
}

/**
 * Builds the event for a failed payment that is pending again after a reorganisation. The block that made the
 * payment fail is no longer canonical.
 */
export function restoredEvent(methods: PaymentMethods, deposit: Deposit, at: Date): readonly NewEvent[] {
  const toEvent: ToEvent = (occasion, data) =>
    eventOf(revertedKind, occasion, { ...data, wasConfirmed: false, wasFailed: true })
  return eventsOf(methods, deposit, at, toEvent, deposit.failures)
}

/** Builds the event for the deposit's merchant. Returns no event if the deposit belongs to no merchant. */
function eventsOf(
  methods: PaymentMethods,
  deposit: Deposit,
  occurredAt: Date,
  toEvent: ToEvent,
  /**
   * Counts how often the deposit failed. The number keeps event subjects unique, because a payment may fail
   * more than once in one inclusion.
   */
  failure?: number,
): readonly NewEvent[] {
  const { id, inclusion, merchantId, amountMinor, paymentMethodId, txHash } = deposit
  if (merchantId === undefined) return []
  const method = required(methods.byId(paymentMethodId), 'the method of a transaction')
  const data = {
    transactionID: id,
    invoiceID: required(deposit.invoiceId, "the invoice of a merchant's transaction"),
    amount: formatDecimal(amountMinor, method.decimals),
    currency: method.symbol,
    txHash,
    foundBy: foundByOf(deposit),
  }
  const subject = [id, inclusion, failure ?? []].flat().join(':')
  return [toEvent({ merchantId, subject, occurredAt }, data)]
}
