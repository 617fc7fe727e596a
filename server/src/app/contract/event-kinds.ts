/** Everything a merchant can be told, put together from the capabilities that tell it. */
import { type TObject, Type } from 'typebox'
import { collectionEventKinds } from '../../outgoing/sweeps/events.ts'
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
  ...collectionEventKinds,
  ...webhookEventKinds,
]

/** An event of one kind as it is sent. */
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
          "its place among the merchant's events, without gaps; where the server lost events it goes on a million higher",
        examples: [7],
      }),
      data,
    },
    { title: titleOf(type), description: fires },
  )
}

/** `invoice.paid` as a name of the contract: `InvoicePaidEvent`. */
function titleOf(type: string): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

const envelopes = new Map(eventKinds.map((kind) => [kind, envelopeOf(kind)]))

/** Any event; `type` says which one. */
export const EventView = Type.Union([...envelopes.values()], {
  title: 'Event',
  description: 'New types may be added: a reader passes over those that it does not know.',
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      eventKinds.map(({ type }) => [type, `#/components/schemas/${titleOf(type)}`]),
    ),
  },
})

/** An event of the kind as it might be sent, without what is there at times only. */
export function exampleEvent(kind: EventKind): unknown {
  return exampleOf(envelopes.get(kind) as JsonSchema, 'request')
}
