/** What happened to an invoice, step by step, from what is stored. */

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
  'webhook.untold',
] as const
export type TimelineStep = (typeof timelineSteps)[number]

/** One step; which of the rest are there depends on it. */
export interface TimelineEntry {
  readonly at: Date
  readonly step: TimelineStep
  readonly transactionId?: string
  readonly txHash?: string
  readonly paymentMethodId?: number
  /** Of a quote what it asked for, of a payment what was sent; in the smallest unit. */
  readonly amountMinor?: bigint
  /** Of a confirmed payment what was credited and kept. */
  readonly netMinor?: bigint
  readonly feeMinor?: bigint
  readonly blockHeight?: number
  /** Until when a quote held. */
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

/** Something that a merchant is told; events are kept for ever. */
export interface EventFacts {
  readonly type: string
  /** The event's own name: its type, and what it is about. */
  readonly subject: string
  readonly createdAt: Date
}

/** A merchant is told of an event, or will be; deliveries are forgotten after a while. */
export interface DeliveryFacts {
  readonly id: string
  readonly eventType: string
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled'
  readonly attempts: number
  readonly createdAt: Date
  readonly endedAt: Date | null
}

/** Of one invoice. */
export interface TimelineFacts {
  readonly invoice: InvoiceFacts
  readonly quotes: readonly QuoteFacts[]
  readonly payments: readonly PaymentFacts[]
  readonly events: readonly EventFacts[]
  readonly deliveries: readonly DeliveryFacts[]
}

/** All steps in the order in which they happened; of the same moment, in the order of `timelineSteps`. */
export function timelineOf(facts: TimelineFacts): readonly TimelineEntry[] {
  const included = new Map(facts.payments.map((payment) => [payment.id, inclusionMs(payment)]))
  const happenedMs = ({ at, step, transactionId = '' }: TimelineEntry) =>
    (step === 'payment.included' ? included.get(transactionId) : undefined) ?? at.getTime()
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
 * Blocks tell their time in whole seconds of a miner's clock, which may be ahead of ours: a payment that came with a block
 * stands where it was written down, and none stands after what followed from it.
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
  const { id, txHash, paymentMethodId, amountMinor, netMinor, feeMinor, blockHeight, state } = payment
  const about = { transactionId: id, txHash, paymentMethodId, amountMinor }
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

/** What was never tried to be sent had no webhook to go to: nothing has failed. */
function deliveryStepName({ state, attempts }: DeliveryFacts): TimelineStep {
  if (state === 'pending') return attempts === 0 ? 'webhook.waiting' : 'webhook.failing'
  if (state === 'delivered') return 'webhook.delivered'
  return state === 'cancelled' && attempts === 0 ? 'webhook.untold' : 'webhook.given-up'
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
/** Older periods and inclusions than these last ones are not looked for. */
const turnsMax = 5

/**
 * The subjects under which events about an invoice and its payments were told, as far as there are any: an event is
 * found by its name, which is unique, and events are kept for ever.
 */
export function eventSubjects(
  invoiceId: string,
  { paidPeriods, type }: Pick<InvoiceFacts, 'paidPeriods' | 'type'>,
  payments: readonly PaymentFacts[],
): readonly string[] {
  // Of a reusable invoice each full payment is told by itself, under its number among them, which is not stored.
  const numbers = type === 'reusable' ? lastTurns(paidPeriods, payments.length + turnsMax) : []
  const told = payments.flatMap(({ id }) => numbers.map((number) => `${invoiceId}:${id}:${number}`))
  const turns = [...lastTurns(paidPeriods + 1).map((period) => `${invoiceId}:${period}`), ...told]
  const ofInvoice = invoiceEvents.flatMap((eventType) => turns.map((turn) => `${eventType}:${turn}`))
  const ofPayments = payments.flatMap(({ id, inclusion, failures }) => {
    const inclusions = lastTurns(inclusion).flatMap((turn) => [
      `${id}:${turn}`,
      ...lastTurns(failures).map((failure) => `${id}:${turn}:${failure}`),
    ])
    return transactionEvents.flatMap((eventType) => inclusions.map((turn) => `${eventType}:${turn}`))
  })
  return [...ofInvoice, ...ofPayments]
}

function lastTurns(last: number, count = turnsMax): readonly number[] {
  return Array.from({ length: Math.min(last + 1, count) }, (_, index) => last - index)
}
