/** Writes events for merchants of a benchmark, in the same way as Coffer does. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import type { Db } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { appendEvents } from '../src/platform/outbox/append.ts'
import type { NewEvent } from '../src/platform/outbox/event.ts'
import { monotonicMs } from './monotonic-clock.ts'
import type { Receivers } from './open-receivers.ts'

const eventsPerTransaction = 1_000
const patienceMs = 30_000

/** Returns an event of the usual size, about 400 bytes as sent. */
function eventOf(merchantId: string, subject: string): NewEvent {
  const payment = { amount: '10', amountUSD: '10', currency: 'USDT', txHash: `0x${'5b'.repeat(32)}` }
  const data = { invoiceID: randomUUID(), state: 'paid', ...payment }
  return { merchantId, type: 'invoice.paid', subject, occurredAt: new Date(), data }
}

/** Writes `perMerchant` events for each merchant. The merchants take turns. */
export async function queueEvents(
  db: Db,
  merchantIds: readonly string[],
  perMerchant: number,
): Promise<void> {
  const events = Array.from({ length: perMerchant }, () =>
    merchantIds.map((id) => eventOf(id, randomUUID())),
  ).flat()
  for (let from = 0; from < events.length; from += eventsPerTransaction)
    await inTransaction(db, (tx) => appendEvents(tx, events.slice(from, from + eventsPerTransaction)))
}

export interface Trickle {
  readonly merchantIds: readonly string[]
  readonly ratePerSecond: number
  readonly durationMs: number
  random(below: number): number
}

/**
 * Writes one event in each transaction at a fixed rate, even if earlier events have not arrived yet. Each
 * event is for a random merchant.
 * @returns the milliseconds from the commit of each event to its arrival. The time starts directly before the
 *   commit is requested, because dispatchers may notice the commit before this process does.
 */
export async function trickle(db: Db, receivers: Receivers, params: Trickle): Promise<readonly number[]> {
  const { merchantIds, ratePerSecond, durationMs, random } = params
  const committedMs = new Map<string, number>()
  const emitEvent = (subject: string) =>
    inTransaction(db, async (tx) => {
      await appendEvents(tx, [eventOf(merchantIds[random(merchantIds.length)] ?? '', subject)])
      committedMs.set(`invoice.paid:${subject}`, monotonicMs())
    })
  const emitting: Promise<void>[] = []
  const startedMs = performance.now()
  for (let index = 0; index < (ratePerSecond * durationMs) / 1000; index += 1) {
    // Each event is shifted by a random part of the interval, so that periodic work of the host does not
    // always coincide with events.
    const dueMs = startedMs + ((index + random(1000) / 1000) * 1000) / ratePerSecond
    await sleep(Math.max(0, dueMs - performance.now()))
    emitting.push(emitEvent(randomUUID()))
  }
  await Promise.all(emitting)
  await receivedAll(receivers, emitting.length)
  return latenciesOf(db, receivers, committedMs)
}

export async function receivedAll(receivers: Receivers, count: number): Promise<void> {
  for (let quietMs = 0, last = 0; last < count; quietMs += 20) {
    const now = await receivers.count()
    if (now > last) quietMs = 0
    last = now
    if (quietMs > patienceMs) throw new Error(`only ${last} of ${count} webhooks arrived`)
    await sleep(20)
  }
}

async function latenciesOf(db: Db, receivers: Receivers, committedMs: ReadonlyMap<string, number>) {
  const { received, refused } = await receivers.take()
  if (refused > 0) throw new Error(`${refused} webhooks had a wrong signature`)
  const events = await db.query<{ id: string; subject: string }>(sql`
    select id, subject from event where subject = any(${[...committedMs.keys()]}::text[])`)
  const startedMs = new Map(events.map(({ id, subject }) => [id, committedMs.get(subject) ?? Number.NaN]))
  return received.flatMap(([id, atMs]) => {
    const committed = startedMs.get(id)
    return committed === undefined ? [] : [atMs - committed]
  })
}
