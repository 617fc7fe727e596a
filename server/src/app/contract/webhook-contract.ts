/** Describes, in the OpenAPI document, the request that a merchant's server receives. */
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

/** Returns the first sentence of the text that says when an event is emitted. */
function summaryOf({ fires }: EventKind): string {
  return /^.*?(?=[.:;] |[.]$)/.exec(fires)?.[0] ?? fires
}

/** A reference to the schema that the route of the event feed adds to the document. */
const eventRef: Ref = { $ref: '#/components/schemas/Event' }

const delivery: Operation = {
  operationId: 'receiveEvent',
  tags: ['Webhooks'],
  summary: 'Receive an event at the merchant’s webhook',
  description:
    'Compute the HMAC-SHA256 of the raw body with the webhook’s secret, compare it in constant time with the signature, and answer 200 at once. An event that was not accepted is retried for about three days.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: eventRef, examples } } },
  responses: {
    200: { description: 'The event was accepted; any 2xx status counts.' },
    410: { description: 'The webhook is no longer wanted; it is disabled.' },
  },
}

function headersOf(serviceName: string): readonly Parameter[] {
  return [
    ...signatureNames(serviceName).map((name) =>
      header(`X-${name}-Signature`, 'HMAC-SHA256 of the raw body, as hex.', '^[0-9a-f]{64}$', '0'.repeat(64)),
    ),
    header(
      `X-${serviceName}-Webhook-Token`,
      'The token that POST /weebhook/{merchantID} returned: it names the version of the configuration under which this was sent.',
      '^wh_[0-9a-f]{32}$',
      `wh_${'0'.repeat(32)}`,
    ),
    header('webhook-id', 'The id of the event (Standard Webhooks).', undefined, uuidExample),
    header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '^\\d+$', '1805036966'),
    header(
      'webhook-signature',
      'The signature of Standard Webhooks; for 24 hours after a change of the secret there are two, separated by a space: of the new and of the former secret.',
      undefined,
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  ]
}

function header(name: string, description: string, pattern: string | undefined, shown: string): Parameter {
  const schema = { type: 'string', ...(pattern === undefined ? {} : { pattern }) }
  return { name, in: 'header', required: true, description, schema, example: shown }
}
