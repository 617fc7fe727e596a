import { Type } from 'typebox'
import { limits } from '../core/limits.ts'
import { disabledReasons } from '../merchants/webhook-endpoint.ts'
import { boundedText, idOf, oneOf, timestampOut } from '../platform/http/wire.ts'
import type { NewEvent } from '../platform/outbox/event.ts'
import { type EventOccasion, eventKind, eventOf } from '../platform/outbox/event-kind.ts'
import type { DisabledEndpoint } from './endpoint-store.ts'

const disabledKind = eventKind({
  type: 'webhook.disabled',
  fires:
    'The webhook was disabled: its endpoint answered 410, or every attempt failed for days. This event is only in the feed, because nothing is sent until the webhook is set again.',
  data: Type.Object({
    url: boundedText('the URL to which events were sent', limits.webhookUrlChars),
    reason: oneOf(disabledReasons, {
      description: '`gone`: it answered 410; `failing`: every attempt failed for five days',
    }),
    failingSince: timestampOut,
  }),
})

const testKind = eventKind({
  type: 'webhook.test',
  fires: 'A test event was requested with `POST /weebhook/{merchantID}/test`.',
  data: Type.Object({ testID: idOf('the testID that the request returned') }),
})

/** The types of events about the webhook itself. */
export const webhookEventKinds = [disabledKind, testKind]

/**
 * Builds the event that reports a disabled endpoint. For each subject, an event is emitted only once. The
 * subject contains the endpoint's version, so a new version that is disabled later is reported again.
 */
export function disabledEvent({ merchantId, token, url, reason, ...at }: DisabledEndpoint): NewEvent {
  const occasion = { merchantId, subject: `${merchantId}:${token}`, occurredAt: at.disabledAt }
  return eventOf(disabledKind, occasion, { url, reason, failingSince: at.failingSince.toISOString() })
}

export function testEvent({ merchantId, occurredAt }: Omit<EventOccasion, 'subject'>, id: string): NewEvent {
  return eventOf(testKind, { merchantId, subject: id, occurredAt }, { testID: id })
}
