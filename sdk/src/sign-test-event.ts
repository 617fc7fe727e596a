import type { EventOf, EventType } from './event.ts'
import { samples } from './sample-events.ts'
import { deliveryHeaders, unnamedService, type WebhookSecret } from './webhook-signature.ts'

export interface TestEventOptions<T extends EventType> {
  readonly type: T
  /** Fields that replace the same fields of the sample event. */
  readonly data?: Partial<EventOf<T>['data']>
  /** The secret with which the receiver verifies requests. */
  readonly secret: WebhookSecret
  readonly serviceName?: string
  readonly id?: string
  readonly merchantID?: string
  readonly sequence?: number
  /** The time of the event; now by default. */
  readonly timestamp?: Date
  /** The time of sending, which the signature covers; now by default. */
  readonly sentAt?: Date
}

/** A request as a server would send it: a POST of `body` with `headers`. */
export interface SignedTestEvent<T extends EventType> {
  readonly event: EventOf<T>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Builds the complete request of an invented event, to test a receiver. */
export async function signTestEvent<T extends EventType>(
  options: TestEventOptions<T>,
): Promise<SignedTestEvent<T>> {
  const { type, secret, serviceName = unnamedService, id = crypto.randomUUID(), sequence = 1 } = options
  const { merchantID = crypto.randomUUID(), timestamp = new Date(), sentAt = new Date() } = options
  const data = { ...samples[type], ...options.data }
  const body = JSON.stringify({ id, type, merchantID, timestamp: timestamp.toISOString(), sequence, data })
  const headers = await deliveryHeaders({ secret, serviceName, id, token: 'test', body, sentAt })
  return { event: JSON.parse(body), headers, body }
}
