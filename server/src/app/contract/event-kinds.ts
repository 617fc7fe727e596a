/** Collects the kinds of events that merchants can receive, from the modules that emit them. */
import { type TObject, Type } from 'typebox'
import { sweepEventKinds } from '../../outgoing/sweeps/events.ts'
import { withdrawalEventKinds } from '../../outgoing/withdrawals/events.ts'
import { transactionEventKinds } from '../../payments/deposits/events.ts'
import { invoiceEventKinds } from '../../payments/invoices/events.ts'
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import { exampleOf } from '../../platform/http/openapi/examples.ts'
import { idOf, timestampOut, uuid } from '../../platform/http/wire.ts'
import type { EventKind } from '../../platform/outbox/event-kind.ts'
import { webhookEventKinds } from '../../webhooks/events.ts'

export const eventKinds: readonly EventKind[] = [
  ...invoiceEventKinds,
  ...transactionEventKinds,
  ...withdrawalEventKinds,
  ...sweepEventKinds,
  ...webhookEventKinds,
]

/** Returns the schema of an event of one kind as it is sent. */
function envelopeOf({ type, fires, data }: EventKind): TObject {
  return Type.Object(
    {
      id: idOf('the same in every delivery of this event'),
      type: Type.Literal(type),
      merchantID: uuid,
      timestamp: Type.String({ ...timestampOut, description: 'YYYY-MM-DDTHH:mm:ss.sssZ: when it happened' }),
      sequence: Type.Integer({
        minimum: 1,
        description:
          "the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher",
        examples: [7],
      }),
      data,
    },
    { title: titleOf(type), description: fires },
  )
}

/** Returns the name of an event's schema in the OpenAPI document: `InvoicePaidEvent` for `invoice.paid`. */
function titleOf(type: string): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

const envelopes = new Map(eventKinds.map((kind) => [kind, envelopeOf(kind)]))

/** The schema of any event. The field `type` says which kind the event is. */
export const EventView = Type.Union([...envelopes.values()], {
  title: 'Event',
  description: 'New types may be added: a reader must ignore types that it does not know.',
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      eventKinds.map(({ type }) => [type, `#/components/schemas/${titleOf(type)}`]),
    ),
  },
})

/** Returns an example of an event of a kind, without its optional fields. */
export function exampleEvent(kind: EventKind): unknown {
  return exampleOf(envelopes.get(kind) as JsonSchema, 'request')
}
