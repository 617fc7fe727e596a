/** What a merchant's server receives, as the contract document tells it. */
import type { JsonSchema } from '../http/json-schema.ts'
import type { Operation, Parameter, PathItem } from '../http/openapi/openapi.ts'
import { eventTypes } from '../outbox/event.ts'

export function webhookContract(serviceName: string): PathItem {
  return { post: { ...delivery, parameters: headersOf(serviceName) } }
}

const envelope: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid', description: 'the same in every delivery of this event' },
    type: { type: 'string', enum: eventTypes, description: 'new types may be added' },
    merchantID: { type: 'string', format: 'uuid' },
    timestamp: { type: 'string', format: 'date-time', description: 'when it happened' },
    sequence: { type: 'integer', minimum: 1, description: 'counts the events of a merchant without a gap' },
    data: {
      type: 'object',
      description: 'what happened; its fields depend on the type',
      additionalProperties: true,
    },
  },
  required: ['id', 'type', 'merchantID', 'timestamp', 'sequence', 'data'],
}

const example = {
  id: '0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70',
  type: 'invoice.paid',
  merchantID: '0195a3f0-11aa-7c02-8e5b-90c3d4e5f601',
  timestamp: '2027-03-14T15:09:26.535Z',
  sequence: 7,
  data: {
    invoiceID: '0195a3f1-22bb-7d13-9f6c-a1d4e5f60712',
    amount: '25.000000',
    currency: 'USDT',
    paidAt: '2027-03-14T15:09:25.000Z',
    txHash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
  },
}

const delivery: Operation = {
  operationId: 'receiveEvent',
  tags: ['Webhooks'],
  summary: 'An event is told to the merchant’s webhook',
  description:
    'Compute the HMAC-SHA256 of the raw body with the webhook’s secret, compare it in constant time with the signature, and answer 200 at once. An event that was not taken is sent again for about three days.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: envelope, example } } },
  responses: {
    200: { description: 'The event was taken; any 2xx counts.' },
    410: { description: 'The webhook is no longer wanted; it is switched off.' },
  },
}

function headersOf(serviceName: string): readonly Parameter[] {
  return [
    header(
      `X-${serviceName}-Signature`,
      'HMAC-SHA256 of the raw body, as hex.',
      '^[0-9a-f]{64}$',
      '0'.repeat(64),
    ),
    header(
      `X-${serviceName}-Webhook-Token`,
      'The token that POST /weebhook/{merchantID} answered: which version of the configuration this was sent under.',
      '^wh_[0-9a-f]{32}$',
      `wh_${'0'.repeat(32)}`,
    ),
    header('webhook-id', 'The id of the event (Standard Webhooks).', undefined, example.id),
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
