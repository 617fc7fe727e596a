import { Type } from 'typebox'
import { nullable, oneOf, optionalTimestamp, timestamp, timestampOut, uuid } from '../platform/http/wire.ts'
import { eventTypes } from '../platform/outbox/event.ts'
import type { DeliveryRecord, LoggedDelivery } from './log-store.ts'

const deliveryStates = ['pending', 'delivered', 'exhausted', 'cancelled'] as const

export const DeliveryStateView = oneOf(deliveryStates, { title: 'DeliveryState' })
export const EventTypeView = oneOf(eventTypes, { title: 'EventType' })

export const DeliveryView = Type.Object(
  {
    id: uuid,
    eventID: uuid,
    type: EventTypeView,
    sequence: Type.Integer({ description: 'the sequence of the event' }),
    state: DeliveryStateView,
    attempts: Type.Integer(),
    createdAt: timestampOut,
    nextAttemptAt: nullable(timestampOut),
    endedAt: nullable(timestampOut),
    lastStatus: nullable(Type.Integer({ description: 'the HTTP status of the last attempt' })),
    lastError: nullable(
      Type.String({
        description:
          'why the last attempt got no response: `timeout`, `refused: ...` with the reason, or a code such as `ECONNREFUSED`',
        examples: ['timeout'],
      }),
    ),
  },
  { title: 'Delivery' },
)

export function deliveryView(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    eventID: delivery.eventId,
    type: delivery.type,
    sequence: delivery.sequence,
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: timestamp(delivery.createdAt),
    nextAttemptAt: optionalTimestamp(delivery.nextAttemptAt),
    endedAt: optionalTimestamp(delivery.endedAt),
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
  }
}

/** A delivery with its body and attempts. */
export const DeliveryRecordView = Type.Object(
  {
    ...DeliveryView.properties,
    body: Type.String({
      description: 'the exact text that is signed and sent',
      examples: ['{"id":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"webhook.test"}'],
    }),
    attemptLog: Type.Array(
      Type.Object({
        number: Type.Integer(),
        startedAt: timestampOut,
        tookMs: Type.Integer({ description: 'how long it took, in milliseconds' }),
        status: nullable(Type.Integer({ description: 'the HTTP status of the response' })),
        error: nullable(
          Type.String({ description: 'why there was no complete response', examples: ['timeout'] }),
        ),
        excerpt: nullable(
          Type.String({ description: 'the first KiB of the response body', examples: ['ok'] }),
        ),
      }),
      { description: 'all attempts, oldest first' },
    ),
  },
  { title: 'DeliveryRecord' },
)

export function deliveryRecordView({ body, tried, ...delivery }: DeliveryRecord) {
  return {
    ...deliveryView(delivery),
    body,
    attemptLog: tried.map(({ startedAt, ...attempt }) => ({ ...attempt, startedAt: timestamp(startedAt) })),
  }
}

const sequenceMax = Number.MAX_SAFE_INTEGER

export const ReplayBody = Type.Object({
  after: Type.Integer({
    minimum: 0,
    maximum: sequenceMax,
    description: 'events after this sequence are sent again; 0 for all',
    examples: [1041],
  }),
  toSequence: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: sequenceMax,
      description: 'the last sequence to send, greater than "after"; by default the newest one',
    }),
  ),
})

export const ReplayView = Type.Object(
  {
    count: Type.Integer({ description: 'the number of events that are sent again' }),
    next: nullable(
      Type.Integer({ description: 'the value to send as "after" for the rest; null if nothing is left' }),
    ),
  },
  { title: 'Replay' },
)
