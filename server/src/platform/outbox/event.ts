/** Everything a merchant can be told. */
export const eventTypes = [
  'invoice.paid',
  'invoice.underpaid',
  'invoice.expired',
  'invoice.reverted',
  'transaction.detected',
  'transaction.confirmed',
  'transaction.reverted',
  'transaction.failed',
  'transaction.quarantined',
  'collection.completed',
  'withdrawal.broadcast',
  'withdrawal.completed',
  'withdrawal.failed',
  'withdrawal.cancelled',
  'webhook.disabled',
  'webhook.test',
] as const

export type EventType = (typeof eventTypes)[number]

/** Something that happened to a merchant, as the capability that made it happen tells it. */
export interface NewEvent {
  readonly merchantId: string
  readonly type: EventType
  /** With the type it names the event for ever; a second one of that name is refused. */
  readonly subject: string
  readonly occurredAt: Date
  /** JSON values only: amounts as decimal strings, times as ISO strings. */
  readonly data: Readonly<Record<string, unknown>>
}

/** An event with its place in the merchant's history and the exact text that is signed and sent. */
export interface NumberedEvent {
  readonly id: string
  readonly merchantId: string
  readonly sequence: number
  readonly type: EventType
  readonly subject: string
  readonly body: string
}

/**
 * Fixes the bytes of an event. They are built once and stored, so that every attempt sends and signs the same,
 * whatever the code that sends them has become by then.
 */
export function numbered(event: NewEvent, { id, sequence }: { id: string; sequence: number }): NumberedEvent {
  const { merchantId, type, subject, occurredAt, data } = event
  const envelope = { id, type, merchantID: merchantId, timestamp: occurredAt.toISOString(), sequence, data }
  return { id, merchantId, sequence, type, subject: `${type}:${subject}`, body: JSON.stringify(envelope) }
}

/**
 * Gives each event its number: a merchant's events are numbered in the order given, ending with the last number
 * its counter was raised to.
 */
export function numberEvents(
  events: readonly NewEvent[],
  lastSequences: ReadonlyMap<string, number>,
  newId: () => string,
): readonly NumberedEvent[] {
  const next = new Map<string, number>()
  for (const [merchantId, count] of countByMerchant(events)) {
    const last = lastSequences.get(merchantId)
    if (last === undefined) throw new RangeError(`merchant ${merchantId} has no event numbers`)
    next.set(merchantId, last - count + 1)
  }
  return events.map((event) => {
    const sequence = next.get(event.merchantId) ?? 0
    next.set(event.merchantId, sequence + 1)
    return numbered(event, { id: newId(), sequence })
  })
}

export function countByMerchant(
  events: readonly Pick<NewEvent, 'merchantId'>[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { merchantId } of events) counts.set(merchantId, (counts.get(merchantId) ?? 0) + 1)
  return counts
}
