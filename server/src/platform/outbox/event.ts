/** All types of events that merchants receive. */
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

/** An event for a merchant, as the module in which it happened (such as payments or withdrawals) reports it. */
export interface NewEvent {
  readonly merchantId: string
  readonly type: EventType
  /**
   * Identifies the event for ever, together with the type. A second event with the same type and subject is
   * rejected.
   */
  readonly subject: string
  readonly occurredAt: Date
  /** JSON values only: amounts as decimal strings, times as ISO strings. */
  readonly data: Readonly<Record<string, unknown>>
}

/** An event with its number in the merchant's history and the exact text that is signed and sent. */
export interface NumberedEvent {
  readonly id: string
  readonly merchantId: string
  readonly sequence: number
  readonly type: EventType
  readonly subject: string
  readonly body: string
}

/**
 * Builds the text of an event. It is built once and stored, so that every delivery attempt signs and sends
 * the same bytes, even after an upgrade of Coffer.
 */
export function numbered(event: NewEvent, { id, sequence }: { id: string; sequence: number }): NumberedEvent {
  const { merchantId, type, occurredAt, data } = event
  const envelope = { id, type, merchantID: merchantId, timestamp: occurredAt.toISOString(), sequence, data }
  return { id, merchantId, sequence, type, subject: storedSubject(event), body: JSON.stringify(envelope) }
}

/** Returns the subject under which an event is stored. It is unique among all events. */
export function storedSubject({ type, subject }: Pick<NewEvent, 'type' | 'subject'>): string {
  return `${type}:${subject}`
}

/**
 * Gives each merchant's events consecutive numbers, in the given order. The last event of a merchant gets the
 * merchant's number in `lastSequences`.
 * @throws RangeError if a merchant has no number in `lastSequences`
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
