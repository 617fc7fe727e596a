/** What a merchant's server receives, as the contract document tells it. */
import { uuidExample } from '../../platform/http/openapi/examples.ts'
import type { Operation, Parameter, PathItem, Ref } from '../../platform/http/openapi/openapi.ts'
import type { EventKind } from '../../platform/outbox/event-kind.ts'
import { signatureNames } from '../../webhooks/sign.ts'
import { eventKinds, exampleEvent } from './event-kinds.ts'

export function webhookContract(serviceName: string): PathItem {
  return { post: { ...delivery, parameters: headersOf(serviceName) } }
}

const examples = Object.fromEntries(
  eventKinds.map((kind) => [kind.type, { summary: summaryOf(kind), value: exampleEvent(kind) }]),
)

/** The first sentence of when it is told. */
function summaryOf({ fires }: EventKind): string {
  return /^.*?(?=[.:;] |[.]$)/.exec(fires)?.[0] ?? fires
}

/** The component that the feed of events brings into the document. */
const eventRef: Ref = { $ref: '#/components/schemas/Event' }

const delivery: Operation = {
  operationId: 'receiveEvent',
  tags: ['Webhooks'],
  summary: 'An event is told to the merchant’s webhook',
  description:
    'Compute the HMAC-SHA256 of the raw body with the webhook’s secret, compare it in constant time with the signature, and answer 200 at once. An event that was not taken is sent again for about three days.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: eventRef, examples } } },
  responses: {
    200: { description: 'The event was taken; any 2xx counts.' },
    410: { description: 'The webhook is no longer wanted; it is switched off.' },
  },
}

function headersOf(serviceName: string): readonly Parameter[] {
  return [
    ...signatureNames(serviceName).map((name) =>
      header(`X-${name}-Signature`, 'HMAC-SHA256 of the raw body, as hex.', '^[0-9a-f]{64}$', '0'.repeat(64)),
    ),
    header(
      `X-${serviceName}-Webhook-Token`,
      'The token that POST /weebhook/{merchantID} answered: which version of the configuration this was sent under.',
      '^wh_[0-9a-f]{32}$',
      `wh_${'0'.repeat(32)}`,
    ),
    header('webhook-id', 'The id of the event (Standard Webhooks).', undefined, uuidExample),
    header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '^\\d+$', '1805036966'),
    header(
      'webhook-signature',
      'The signature of Standard Webhooks; for 24 hours after the secret was changed two, separated by a space, of the new and of the former one.',
      undefined,
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  ]
}

function header(name: string, description: string, pattern: string | undefined, shown: string): Parameter {
  const schema = { type: 'string', ...(pattern === undefined ? {} : { pattern }) }
  return { name, in: 'header', required: true, description, schema, example: shown }
}
