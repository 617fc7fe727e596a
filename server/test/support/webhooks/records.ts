/** Records of merchants' events and their delivery. */
import { Records } from '../records/records.ts'

/** An event. `body` is the JSON that is sent. */
interface Event {
  readonly id: string
  readonly merchantId: string
  readonly sequence: number
  readonly type: string
  readonly subject: string
  readonly body: string
  readonly createdAt: Date
}

export const eventRecords = new Records<Event>('event', 'sequence, id')

/** The last number that was given to an event of a merchant. */
interface EventCounter {
  readonly merchantId: string
  readonly lastSequence: number
  readonly timeline: number
  readonly incarnation: number
}

export const eventCounterRecords = new Records<EventCounter>('event_counter', 'merchant_id')

/** The delivery of an event to its merchant's endpoint. */
interface Delivery {
  readonly id: string
  readonly eventId: string
  readonly merchantId: string
  readonly state: string
  readonly attempts: number
  readonly nextAttemptAt: Date
  readonly claimedUntil: Date | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export const deliveryRecords = new Records<Delivery>('delivery', 'id')

/** One request to an endpoint. */
interface DeliveryAttempt {
  readonly deliveryId: string
  readonly number: number
  readonly startedAt: Date
  readonly tookMs: number
  readonly status: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}

export const deliveryAttemptRecords = new Records<DeliveryAttempt>('delivery_attempt', 'delivery_id, number')

/** The endpoint of a merchant, with its recent failures. */
interface Endpoint {
  readonly merchantId: string
  readonly url: string
  readonly sealedSecret: Buffer
  readonly token: string
  readonly createdAt: Date
  readonly disabledAt: Date | null
  readonly formerSealedSecret: Buffer | null
  readonly formerValidUntil: Date | null
  readonly failingSince: Date | null
  readonly lastFailureAt: Date | null
  readonly failures: number
  readonly disabledReason: string | null
  readonly restUntil: Date | null
}

export const endpointRecords = new Records<Endpoint>('webhook_endpoint', 'merchant_id')
