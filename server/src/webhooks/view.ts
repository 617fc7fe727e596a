import { Type } from 'typebox'
import { nullable, oneOf, optionalTimestamp, timestamp, timestampOut, uuid } from '../http/wire.ts'
import { eventTypes } from '../outbox/event.ts'
import type { LoggedDelivery } from './log-store.ts'

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'cancelled'] as const

export const DeliveryStateView = oneOf(deliveryStates, { title: 'DeliveryState' })
export const EventTypeView = oneOf(eventTypes, { title: 'EventType' })

export const DeliveryView = Type.Object(
  {
    id: uuid,
    eventID: uuid,
    type: EventTypeView,
    state: DeliveryStateView,
    attempts: Type.Integer(),
    createdAt: timestampOut,
    nextAttemptAt: nullable(timestampOut),
    endedAt: nullable(timestampOut),
    lastStatus: nullable(Type.Integer({ description: 'the HTTP status of the last attempt' })),
    lastError: nullable(
      Type.String({
        description: 'why the last attempt brought no answer',
        examples: ['timed out after 15 s'],
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
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: timestamp(delivery.createdAt),
    nextAttemptAt: optionalTimestamp(delivery.nextAttemptAt),
    endedAt: optionalTimestamp(delivery.endedAt),
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
  }
}
