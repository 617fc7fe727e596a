import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeEach, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { claimDeliveries, firstCursor } from '../../src/webhooks/claim.ts'
import type { ClaimedDelivery } from '../../src/webhooks/claim-store.ts'
import type { DeliveryResult } from '../../src/webhooks/deliver.ts'
import { saveResults } from '../../src/webhooks/store.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { fromNow, now } from '../support/records/values.ts'
import { deliveryAttemptRecords, deliveryRecords, endpointRecords } from '../support/webhooks/records.ts'

const database = useDatabase()

beforeEach(async () => {
  await deliveryRecords.change(database.db, { state: 'pending' }, { state: 'cancelled', endedAt: now })
})

async function merchantWithBacklog(events: number): Promise<string> {
  const merchantId = await addMerchant(database.db)
  const event = { merchantId, type: 'webhook.test', occurredAt: new Date(), data: {} } as const
  const backlog = Array.from({ length: events }, () => ({ ...event, subject: randomUUID() }))
  await inTransaction(database.db, (tx) => appendEvents(tx, backlog))
  return merchantId
}

function claim(rows: number, cursor = firstCursor) {
  return claimDeliveries(database.db, cursor, { rows })
}

it('F14 gives every merchant its turn while one has a backlog of 10,000', async () => {
  const crowded = await merchantWithBacklog(10_000)
  const others = await Promise.all(Array.from({ length: 20 }, () => merchantWithBacklog(1)))
  const { claimed } = await claim(50)
  const served = new Set(claimed.map((delivery) => delivery.merchantId))
  expect(served).toEqual(new Set([crowded, ...others]))
})

it.each([undefined, 1, 9])(
  'never has more deliveries of a merchant in flight than its setting (%s; 4 by default), although dispatchers claim at once',
  async (inFlightMax) => {
    const merchantId = await merchantWithBacklog(200)
    await merchantWithBacklog(200)
    const options = { rows: 50, ...(inFlightMax !== undefined && { inFlightMax }) }
    const claims = await Promise.all(
      Array.from({ length: 30 }, () => claimDeliveries(database.db, firstCursor, options)),
    )
    const claimed = claims.flatMap((one) => one.claimed)
    const most = inFlightMax ?? 4
    expect(claimed.filter((delivery) => delivery.merchantId === merchantId)).toHaveLength(most)
    expect(new Set(claimed.map((delivery) => delivery.deliveryId)).size).toBe(2 * most)
  },
)

it('gives an endpoint that only fails one attempt at a time, so that many such endpoints leave room for others', async () => {
  const merchants = await Promise.all(Array.from({ length: 3 }, () => merchantWithBacklog(20)))
  const [failing, recovered] = merchants
  for (const [merchantId, failures] of merchants.map(
    (id) => [id, id === failing || id === recovered ? 5 : 4] as const,
  ))
    await endpointRecords.add(database.db, {
      merchantId,
      url: 'https://example.com/',
      sealedSecret: Buffer.alloc(0),
      token: randomUUID(),
      failingSince: now,
      lastFailureAt: now,
      failures,
    })
  await endpointRecords.change(database.db, { merchantId: recovered }, { failures: 0, failingSince: null })
  const claims = await Promise.all(Array.from({ length: 10 }, () => claim(50)))
  const claimed = claims.flatMap((one) => one.claimed.map(({ merchantId }) => merchantId))
  expect(merchants.map((id) => claimed.filter((one) => one === id).length)).toEqual([1, 4, 4])
})

it('gives a claimed delivery to another dispatcher once the claim has expired, with the same event and bytes', async () => {
  await merchantWithBacklog(1)
  const [first] = (await claim(50)).claimed
  expect((await claim(50)).claimed).toEqual([])
  await deliveryRecords.change(database.db, { id: first?.deliveryId }, { claimedUntil: fromNow('-1 ms') })
  const [second] = (await claim(50)).claimed
  expect(second).toEqual({ ...first, claimedUntil: second?.claimedUntil })
})

/** Returns a claim that has expired, and the claim that took its delivery over. */
async function lostAndHeld(): Promise<{ readonly lost: ClaimedDelivery; readonly held: ClaimedDelivery }> {
  await merchantWithBacklog(1)
  const lost = required((await claim(50)).claimed[0], 'the first claim')
  await deliveryRecords.change(database.db, { id: lost.deliveryId }, { claimedUntil: fromNow('-1 ms') })
  return { lost, held: required((await claim(50)).claimed[0], 'the second claim') }
}

function delivered(claimed: ClaimedDelivery, status: number): DeliveryResult {
  const attempt = { number: 1, startedAt: new Date(), tookMs: 1, status, error: undefined, excerpt: '' }
  return { claimed, state: 'delivered', delayMs: 0, attempt }
}

async function stored({ deliveryId }: ClaimedDelivery) {
  const { state, attempts } = await deliveryRecords.one(database.db, { id: deliveryId })
  const tried = await deliveryAttemptRecords.all(database.db, { deliveryId }, 'status')
  return (tried.length > 0 ? tried : [{ status: null }]).map(({ status }) => ({ state, attempts, status }))
}

it('does not store a result under a claim that has expired and was taken over', async () => {
  const { lost, held } = await lostAndHeld()
  await saveResults(database.db, [delivered(lost, 201)])
  expect(await stored(lost)).toEqual([{ state: 'pending', attempts: 0, status: null }])
  await saveResults(database.db, [delivered(held, 202)])
  expect(await stored(held)).toEqual([{ state: 'delivered', attempts: 1, status: 202 }])
})

it('stores the valid one of two results of a delivery whose claim the same process lost and took again', async () => {
  const { lost, held } = await lostAndHeld()
  await saveResults(database.db, [delivered(lost, 201), delivered(held, 202)])
  expect(await stored(held)).toEqual([{ state: 'delivered', attempts: 1, status: 202 }])
})

it('claims neither deliveries that are not due yet nor claimed ones, only those that are due', async () => {
  await merchantWithBacklog(3)
  const [first] = (await claim(1)).claimed
  const pending = await deliveryRecords.all(database.db, { state: 'pending', claimedUntil: null }, 'id')
  const [later, due] = pending.map((row) => row.id)
  await deliveryRecords.change(database.db, { id: later }, { nextAttemptAt: fromNow('1 minute') })
  const { claimed } = await claim(50)
  expect(first).toBeDefined()
  expect(claimed.map((delivery) => delivery.deliveryId)).toEqual([due])
})

it('starts the round again at its end, instead of pausing while merchants at its front wait', async () => {
  await Promise.all(Array.from({ length: 3 }, () => merchantWithBacklog(2)))
  const first = await claim(3)
  const second = await claim(3, first.next)
  expect([first, second].map(({ claimed }) => claimed.length)).toEqual([3, 3])
})

it('claims only for slow merchants, or for all others', async () => {
  const merchants = await Promise.all(Array.from({ length: 3 }, () => merchantWithBacklog(1)))
  const slowMerchantIds = merchants.slice(0, 1)
  for (const [isSlow, expected] of [
    [true, slowMerchantIds],
    [false, merchants.slice(1)],
  ] as const) {
    const share = { isSlow, slowMerchantIds }
    const { claimed } = await claimDeliveries(database.db, firstCursor, { rows: 50, share })
    expect(new Set(claimed.map(({ merchantId }) => merchantId))).toEqual(new Set(expected))
  }
})

it('serves each merchant before any is served twice, even if there are more merchants than one claim serves', async () => {
  const merchants = new Set(await Promise.all(Array.from({ length: 25 }, () => merchantWithBacklog(3))))
  const served: string[] = []
  let cursor = firstCursor
  for (let round = 0; round < 3; round++) {
    const { claimed, next } = await claim(10, cursor)
    expect(claimed.length).toBeLessThanOrEqual(10)
    served.push(...claimed.map((delivery) => delivery.merchantId))
    cursor = next
  }
  expect(new Set(served)).toEqual(merchants)
})

/** Holds the claims of these merchants as another dispatcher does while `work` runs. */
async function whileClaimedFor<T>(merchantIds: readonly string[], work: () => Promise<T>): Promise<T> {
  return inTransaction(database.owner, async (tx) => {
    await tx.query(sql`
      select pg_advisory_xact_lock(hashtextextended('delivery:' || id, 0))
      from unnest(${merchantIds}::text[]) as merchant (id)`)
    return work()
  })
}

it('continues its round after merchants for whom another dispatcher is claiming', async () => {
  const merchants = await Promise.all(Array.from({ length: 12 }, () => merchantWithBacklog(3)))
  const [first = '', ...others] = merchants.toSorted()
  const { claimed, next } = await whileClaimedFor([first], () => claim(5))
  expect(new Set(claimed.map(({ merchantId }) => merchantId))).toEqual(new Set(others.slice(0, 4)))
  expect(next).toBe(others[3])
})

it('finds a free merchant behind many for whom others are claiming, and claims nothing if there is none', async () => {
  const merchants = await Promise.all(Array.from({ length: 12 }, () => merchantWithBacklog(3)))
  const sorted = merchants.toSorted()
  const { claimed } = await whileClaimedFor(sorted.slice(0, 11), () => claim(5, sorted[3]))
  expect(new Set(claimed.map(({ merchantId }) => merchantId))).toEqual(new Set(sorted.slice(11)))
  const none = await whileClaimedFor(sorted, () => claim(5, sorted[3]))
  expect(none).toMatchObject({ claimed: [], next: firstCursor })
})
