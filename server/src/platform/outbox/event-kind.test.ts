import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { eventKind, eventOf } from './event-kind.ts'

const kind = eventKind({
  type: 'webhook.test',
  fires: 'When asked for.',
  data: Type.Object({ testID: Type.String(), note: Type.Optional(Type.String()) }),
})
const occasion = { merchantId: 'm', subject: 's', occurredAt: new Date(0) }

it('makes an event of its kind', () => {
  expect(eventOf(kind, occasion, { testID: 'x' })).toEqual({
    ...occasion,
    type: 'webhook.test',
    data: { testID: 'x' },
  })
})

it('takes no data that its kind does not declare', () => {
  const more = { testID: 'x', amount: '1' }
  // @ts-expect-error a field that is not declared
  eventOf(kind, occasion, { testID: 'x', amount: '1' })
  // @ts-expect-error a field that is not declared, spread in
  eventOf(kind, occasion, { ...more })
  // @ts-expect-error a field of another type
  eventOf(kind, occasion, { testID: 1 })
  // @ts-expect-error a field that is missing
  eventOf(kind, occasion, { note: 'x' })
  expect(eventOf(kind, occasion, { testID: 'x', note: 'y' }).data).toEqual({ testID: 'x', note: 'y' })
})
