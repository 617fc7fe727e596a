import type { EventOf, EventType } from './event.ts'
import { samples } from './sample-events.ts'
import { deliveryHeaders, unnamedService, type WebhookSecret } from './webhook-signature.ts'

export interface TestEventOptions<T extends EventType> {
  readonly type: T
  /** Fields that replace those of the sample of that type. */
  readonly data?: Partial<EventOf<T>['data']>
  /** The secret that the receiver verifies with. */
  readonly secret: WebhookSecret
  readonly serviceName?: string
  readonly id?: string
  readonly merchantID?: string
  readonly sequence?: number
  /** When the event happened; default now. */
  readonly timestamp?: Date
  /** When it is sent, which is part of the signature; default now. */
  readonly sentAt?: Date
}

/** A request as a server would send it: POST `body` with `headers`. */
export interface SignedTestEvent<T extends EventType> {
  readonly event: EventOf<T>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Builds the complete request of a made-up event, for the tests of a receiver. */
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
