import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { inTransaction, violatedConstraint } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import type { NewEvent } from '../../src/platform/outbox/event.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { deliveryRecords, eventRecords } from '../support/webhooks/records.ts'

const database = useDatabase()

const occurredAt = new Date('2026-11-20T10:00:00.123Z')

function paid(merchantId: string, subject: string = randomUUID()): NewEvent {
  return {
    merchantId,
    type: 'invoice.paid',
    subject,
    occurredAt,
    data: { invoiceID: subject, amount: '1.5' },
  }
}

function append(...events: readonly NewEvent[]): Promise<void> {
  return inTransaction(database.db, (tx) => appendEvents(tx, events))
}

async function sequencesOf(merchantId: string): Promise<readonly number[]> {
  const rows = await eventRecords.all(database.db, { merchantId }, 'sequence')
  return rows.map((row) => row.sequence)
}

it('numbers the events of each merchant 1, 2, 3 in the order given, over several calls', async () => {
  const a = await addMerchant(database.db)
  const b = await addMerchant(database.db)
  const events = [paid(a), paid(b), paid(a), paid(a)]
  await append(...events)
  await append(paid(b))
  expect([await sequencesOf(a), await sequencesOf(b)]).toEqual([
    [1, 2, 3],
    [1, 2],
  ])
  const rows = await eventRecords.all(database.db, { merchantId: a }, 'subject')
  const subjects = events.filter((event) => event.merchantId === a).map((event) => event.subject)
  expect(rows.map((row) => row.subject)).toEqual(subjects.map((subject) => `invoice.paid:${subject}`))
})

it('stores the exact envelope of the contract with id and sequence, and one pending delivery', async () => {
  const merchantId = await addMerchant(database.db)
  await append(paid(merchantId, 'invoice-7'))
  const [event] = await eventRecords.all(database.db, { merchantId }, 'id', 'body')
  const [delivery] = await deliveryRecords.all(database.db, { eventId: event?.id ?? '' }, 'state', 'attempts')
  const rows = event === undefined || delivery === undefined ? [] : [{ ...event, ...delivery }]
  const envelope = {
    id: rows[0]?.id,
    type: 'invoice.paid',
    merchantID: merchantId,
    timestamp: '2026-11-20T10:00:00.123Z',
    sequence: 1,
    data: { invoiceID: 'invoice-7', amount: '1.5' },
  }
  expect(rows).toEqual([{ id: rows[0]?.id, body: JSON.stringify(envelope), state: 'pending', attempts: 0 }])
})

it('refuses an event that was written before, and rolls back everything written with it', async () => {
  const merchantId = await addMerchant(database.db)
  await append(paid(merchantId, 'invoice-1-of-refusal'))
  const again = append(paid(merchantId, 'invoice-2-of-refusal'), paid(merchantId, 'invoice-1-of-refusal'))
  const error = await again.catch((thrown: unknown) => thrown)
  expect(violatedConstraint(error)).toBe('event_subject_unique')
  await append(paid(merchantId))
  expect(await sequencesOf(merchantId)).toEqual([1, 2])
})

it('leaves no gap and never deadlocks when many transactions append for the same merchants at once', async () => {
  const merchants = await Promise.all(Array.from({ length: 5 }, () => addMerchant(database.db)))
  const calls = Array.from({ length: 40 }, (_, call) => {
    const order = call % 2 === 0 ? merchants : [...merchants].reverse()
    return append(...order.map((merchantId) => paid(merchantId)))
  })
  await Promise.all(calls)
  const expected = Array.from({ length: 40 }, (_, index) => index + 1)
  for (const merchantId of merchants) expect(await sequencesOf(merchantId)).toEqual(expected)
})

it('needs two round trips, however many events there are', async () => {
  const merchantId = await addMerchant(database.db)
  const events = Array.from({ length: 500 }, () => paid(merchantId))
  let statements = 0
  await inTransaction(database.db, (tx) => {
    const counting = {
      query: (statement: Parameters<typeof tx.query>[0]) => {
        statements += 1
        return tx.query(statement)
      },
    }
    return appendEvents(counting as typeof tx, events)
  })
  expect([statements, (await sequencesOf(merchantId)).length]).toEqual([2, 500])
})
