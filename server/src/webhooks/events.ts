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
    'The webhook was switched off: its endpoint answered 410, or nothing but failures for days. It is found in the feed; nothing is sent until the webhook is set again.',
  data: Type.Object({
    url: boundedText('where events were sent', limits.webhookUrlChars),
    reason: oneOf(disabledReasons, {
      description: '`gone`: it answered 410; `failing`: it answered nothing but failures for five days',
    }),
    failingSince: timestampOut,
  }),
})

const testKind = eventKind({
  type: 'webhook.test',
  fires: 'Somebody asked for it: `POST /weebhook/{merchantID}/test`.',
  data: Type.Object({ testID: idOf('what the request was answered with') }),
})

/** What merchants are told of their webhook itself. */
export const webhookEventKinds = [disabledKind, testKind]

/** Told once for each version of an endpoint. */
export function disabledEvent({ merchantId, token, url, reason, ...at }: DisabledEndpoint): NewEvent {
  const occasion = { merchantId, subject: `${merchantId}:${token}`, occurredAt: at.disabledAt }
  return eventOf(disabledKind, occasion, { url, reason, failingSince: at.failingSince.toISOString() })
}

export function testEvent({ merchantId, occurredAt }: Omit<EventOccasion, 'subject'>, id: string): NewEvent {
  return eventOf(testKind, { merchantId, subject: id, occurredAt }, { testID: id })
}
