/** Events as capabilities write them, for merchants of a benchmark. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import type { Db } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { appendEvents } from '../src/platform/outbox/append.ts'
import type { NewEvent } from '../src/platform/outbox/event.ts'
import { machineMs } from './machine-clock.ts'
import type { Receivers } from './open-receivers.ts'

const eventsPerTransaction = 1_000
const patienceMs = 30_000

/** As large as most are: about 400 bytes as they are sent. */
function eventOf(merchantId: string, subject: string): NewEvent {
  const payment = { amount: '10', amountUSD: '10', currency: 'USDT', txHash: `0x${'5b'.repeat(32)}` }
  const data = { invoiceID: randomUUID(), state: 'paid', ...payment }
  return { merchantId, type: 'invoice.paid', subject, occurredAt: new Date(), data }
}

/** Writes so many events for each merchant, the merchants in turn. */
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
 * Writes one event a transaction at a fixed rate, whether or not earlier ones have arrived, each for some merchant.
 * Returns how long each took from its commit to its arrival, in milliseconds. The time starts right before the commit
 * is asked for: when it is done, dispatchers may know sooner than we do.
 */
export async function trickle(db: Db, receivers: Receivers, wish: Trickle): Promise<readonly number[]> {
  const { merchantIds, ratePerSecond, durationMs, random } = wish
  const committedMs = new Map<string, number>()
  const tell = (subject: string) =>
    inTransaction(db, async (tx) => {
      await appendEvents(tx, [eventOf(merchantIds[random(merchantIds.length)] ?? '', subject)])
      committedMs.set(`invoice.paid:${subject}`, machineMs())
    })
  const telling: Promise<void>[] = []
  const startedMs = performance.now()
  for (let place = 0; place < (ratePerSecond * durationMs) / 1000; place += 1) {
    // Up to half an interval sooner or later, so that nothing can beat in time with it.
    const dueMs = startedMs + ((place + random(1000) / 1000) * 1000) / ratePerSecond
    await sleep(Math.max(0, dueMs - performance.now()))
    telling.push(tell(randomUUID()))
  }
  await Promise.all(telling)
  await receivedAll(receivers, telling.length)
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
  const { arrivals, refused } = await receivers.take()
  if (refused > 0) throw new Error(`${refused} webhooks had a wrong signature`)
  const events = await db.query<{ id: string; subject: string }>(sql`
    select id, subject from event where subject = any(${[...committedMs.keys()]}::text[])`)
  const startedMs = new Map(events.map(({ id, subject }) => [id, committedMs.get(subject) ?? Number.NaN]))
  return arrivals.flatMap(([id, atMs]) => {
    const committed = startedMs.get(id)
    return committed === undefined ? [] : [atMs - committed]
  })
}
