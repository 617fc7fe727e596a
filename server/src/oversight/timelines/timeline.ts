/** Pure functions that build the timeline of an invoice from stored rows. */

export const timelineSteps = [
  'invoice.created',
  'quote.given',
  'payment.seen',
  'payment.included',
  'payment.confirmed',
  'payment.quarantined',
  'payment.failed',
  'invoice.accepted',
  'invoice.closed',
  'invoice.paid',
  'invoice.expired',
  'webhook.delivered',
  'webhook.failing',
  'webhook.waiting',
  'webhook.given-up',
  'webhook.not-sent',
] as const
export type TimelineStep = (typeof timelineSteps)[number]

/** One entry of a timeline. `step` decides which optional fields are present. */
export interface TimelineEntry {
  readonly at: Date
  readonly step: TimelineStep
  readonly depositId?: string
  readonly txHash?: string
  readonly paymentMethodId?: number
  /** The amount that a quote asked for, or that a payment sent, in the asset's smallest unit. */
  readonly amountMinor?: bigint
  /** The amount that was credited for a confirmed payment. `feeMinor` is the fee that Coffer kept. */
  readonly netMinor?: bigint
  readonly feeMinor?: bigint
  readonly blockHeight?: number
  /** The time when the quote expires. */
  readonly until?: Date
  readonly eventType?: string
  readonly deliveryId?: string
  readonly attempts?: number
}

export interface InvoiceFacts {
  readonly type: string
  readonly createdAt: Date
  readonly state: 'pending' | 'paid' | 'expired'
  readonly paidAt: Date | null
  readonly paidPeriods: number
  readonly expiresAt: Date | null
  readonly acceptedAt: Date | null
  readonly closedAt: Date | null
}

export interface QuoteFacts {
  readonly paymentMethodId: number
  readonly fullMinor: bigint
  readonly quotedAt: Date
  readonly expiresAt: Date
}

export interface PaymentFacts {
  readonly id: string
  readonly txHash: string
  /** Whether `txHash` is the hash of a transaction. */
  readonly isHash: boolean
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly inclusion: number
  readonly failures: number
  readonly createdAt: Date
  readonly firstSeenAt: Date | null
  readonly includedAt: Date | null
  readonly blockHeight: number | null
  readonly confirmedAt: Date | null
  readonly quarantine: string | null
  readonly netMinor: bigint | null
  readonly feeMinor: bigint | null
}

/** An event that is reported to the merchant. Events are kept for ever. */
export interface EventFacts {
  readonly type: string
  /** The unique name of the event: its type and the ids of its object. */
  readonly subject: string
  readonly createdAt: Date
}

/** The delivery of an event to the merchant's webhook. Deliveries are deleted after some time. */
export interface DeliveryFacts {
  readonly id: string
  readonly eventType: string
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled'
  readonly attempts: number
  readonly createdAt: Date
  readonly endedAt: Date | null
}

/** Everything that is stored about one invoice and that its timeline shows. */
export interface TimelineFacts {
  readonly invoice: InvoiceFacts
  readonly quotes: readonly QuoteFacts[]
  readonly payments: readonly PaymentFacts[]
  readonly events: readonly EventFacts[]
  readonly deliveries: readonly DeliveryFacts[]
}

/**
 * Returns all steps in the order in which they happened. Steps of the same moment follow the order of
 * `timelineSteps`.
 */
export function timelineOf(facts: TimelineFacts): readonly TimelineEntry[] {
  const included = new Map(facts.payments.map((payment) => [payment.id, inclusionMs(payment)]))
  const happenedMs = ({ at, step, depositId = '' }: TimelineEntry) =>
    (step === 'payment.included' ? included.get(depositId) : undefined) ?? at.getTime()
  const entries = [
    ...invoiceSteps(facts.invoice),
    ...facts.quotes.map(quoteStep),
    ...facts.payments.flatMap((payment) => paymentSteps(payment, facts.events)),
    ...facts.deliveries.map(deliveryStep),
  ]
  const rank = (entry: TimelineEntry) => timelineSteps.indexOf(entry.step)
  return entries.sort((a, b) => happenedMs(a) - happenedMs(b) || rank(a) - rank(b))
}

/**
 * Returns the time by which the step `payment.included` is sorted. A block's timestamp is in whole seconds of
 * a miner's clock, which may be ahead of ours. If a payment was first seen in a block, the time at which its
 * row was created is used instead. An inclusion is never sorted after the confirmation of the same payment.
 */
function inclusionMs(payment: PaymentFacts): number | undefined {
  const { inclusion, firstSeenAt, includedAt, createdAt, confirmedAt } = payment
  if (includedAt === null) return undefined
  if (inclusion === 1 && firstSeenAt === null) return createdAt.getTime()
  return Math.min(
    Math.max(includedAt.getTime(), createdAt.getTime()),
    confirmedAt?.getTime() ?? Number.POSITIVE_INFINITY,
  )
}

function invoiceSteps(invoice: InvoiceFacts): readonly TimelineEntry[] {
  const { createdAt, acceptedAt, closedAt, paidAt, expiresAt, state } = invoice
  return [
    ...step('invoice.created', createdAt),
    ...step('invoice.accepted', acceptedAt),
    ...step('invoice.closed', closedAt),
    ...step('invoice.paid', paidAt),
    ...step('invoice.expired', state === 'expired' && closedAt === null ? expiresAt : null),
  ]
}

function quoteStep({ paymentMethodId, fullMinor, quotedAt, expiresAt }: QuoteFacts): TimelineEntry {
  return { at: quotedAt, step: 'quote.given', paymentMethodId, amountMinor: fullMinor, until: expiresAt }
}

function paymentSteps(payment: PaymentFacts, events: readonly EventFacts[]): readonly TimelineEntry[] {
  const { id, txHash, isHash, paymentMethodId, amountMinor, netMinor, feeMinor, blockHeight, state } = payment
  // A payment found by balance has no transaction.
  const about = { depositId: id, ...(isHash && { txHash }), paymentMethodId, amountMinor }
  const credited = netMinor === null || feeMinor === null ? {} : { netMinor, feeMinor }
  const failed = events.findLast(({ subject }) => subject.startsWith(`transaction.failed:${id}:`))
  const isHeld = payment.quarantine === 'held' || payment.quarantine === 'seized'
  return [
    ...step(
      'payment.seen',
      payment.firstSeenAt ?? (payment.includedAt === null ? payment.createdAt : null),
      about,
    ),
    ...step('payment.included', payment.includedAt, {
      ...about,
      ...(blockHeight === null ? {} : { blockHeight }),
    }),
    ...(isHeld
      ? step('payment.quarantined', payment.confirmedAt, about)
      : step('payment.confirmed', payment.confirmedAt, { ...about, ...credited })),
    ...(state === 'failed' ? step('payment.failed', failed?.createdAt ?? payment.createdAt, about) : []),
  ]
}

function deliveryStep(delivery: DeliveryFacts): TimelineEntry {
  const { id, eventType, attempts, createdAt, endedAt } = delivery
  return { at: endedAt ?? createdAt, step: deliveryStepName(delivery), deliveryId: id, eventType, attempts }
}

/**
 * Returns the step of a delivery. A delivery that was cancelled without an attempt means that the merchant
 * had no webhook. Its step is therefore `not-sent` and not a failure.
 */
function deliveryStepName({ state, attempts }: DeliveryFacts): TimelineStep {
  if (state === 'pending') return attempts === 0 ? 'webhook.waiting' : 'webhook.failing'
  if (state === 'delivered') return 'webhook.delivered'
  return state === 'cancelled' && attempts === 0 ? 'webhook.not-sent' : 'webhook.given-up'
}

function step(
  name: TimelineStep,
  at: Date | null,
  more: Omit<TimelineEntry, 'at' | 'step'> = {},
): readonly TimelineEntry[] {
  return at === null ? [] : [{ at, step: name, ...more }]
}

const invoiceEvents = ['invoice.paid', 'invoice.reverted', 'invoice.expired', 'invoice.underpaid']
const transactionEvents = [
  'transaction.detected',
  'transaction.confirmed',
  'transaction.reverted',
  'transaction.failed',
  'transaction.quarantined',
]
/**
 * Number of events of each kind that a timeline looks up, newest first. The subject of such an event ends
 * with the number of a paid period of the invoice, of an inclusion of a payment in a block, or of a failure
 * of a payment. For the full payments of a reusable invoice, the number of payments is added to this limit.
 */
const numbersMax = 5

/**
 * Returns the subjects (unique names) of the events that may exist about an invoice and its payments. Leaves
 * out the events of older paid periods and of earlier inclusions in blocks.
 */
export function eventSubjects(
  invoiceId: string,
  { paidPeriods, type }: Pick<InvoiceFacts, 'paidPeriods' | 'type'>,
  payments: readonly PaymentFacts[],
): readonly string[] {
  // Each full payment of a reusable invoice has its own event. The event's subject contains the position of
  // the payment among the full payments. That position is not stored, so all recent positions are tried.
  const numbers = type === 'reusable' ? lastNumbers(paidPeriods, payments.length + numbersMax) : []
  const subjects = payments.flatMap(({ id }) => numbers.map((number) => `${invoiceId}:${id}:${number}`))
  const periods = [...lastNumbers(paidPeriods + 1).map((period) => `${invoiceId}:${period}`), ...subjects]
  const ofInvoice = invoiceEvents.flatMap((eventType) => periods.map((number) => `${eventType}:${number}`))
  const ofPayments = payments.flatMap(({ id, inclusion, failures }) => {
    const inclusions = lastNumbers(inclusion).flatMap((number) => [
      `${id}:${number}`,
      ...lastNumbers(failures).map((failure) => `${id}:${number}:${failure}`),
    ])
    return transactionEvents.flatMap((eventType) => inclusions.map((number) => `${eventType}:${number}`))
  })
  return [...ofInvoice, ...ofPayments]
}

function lastNumbers(last: number, count = numbersMax): readonly number[] {
  return Array.from({ length: Math.min(last + 1, count) }, (_, index) => last - index)
}
