import { expect, it } from 'vitest'
import type { EventType } from './event.ts'
import { samples } from './sample-events.ts'
import { signTestEvent } from './sign-test-event.ts'
import { verifyWebhook } from './verify-webhook.ts'

const secret = 'a secret of at least 32 characters'

it.each(Object.keys(samples) as EventType[])('makes a complete %s with a valid signature', async (type) => {
  const made = await signTestEvent({ type, secret })
  expect(await verifyWebhook({ ...made, secret })).toEqual(made.event)
  expect(made.event).toMatchObject({ type, data: samples[type], sequence: 1 })
})

it('uses the fields that differ from the sample, and narrows the type of data by the event type', async () => {
  const id = crypto.randomUUID()
  const timestamp = new Date('2026-11-22T00:00:00Z')
  const made = await signTestEvent({
    type: 'invoice.paid',
    secret,
    id,
    timestamp,
    data: { invoiceID: 'mine' },
  })
  expect(made.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' })
  const event = await verifyWebhook({ ...made, secret })
  expect(event).toMatchObject({ id, timestamp: '2026-11-22T00:00:00.000Z' })
  // This code compiles only if the check of `type` narrows the type of `data`.
  const shown = event.type === 'invoice.paid' ? [event.data.invoiceID, event.data.currency] : []
  expect(shown).toEqual(['mine', samples['invoice.paid'].currency])
})
