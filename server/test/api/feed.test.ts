/** Tests the feed of events: reading in order, waiting, filters, and that no event is left out. */
import { get } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { workLoop } from '../../src/core/concurrency/work-loop.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { FeedWaiters } from '../../src/webhooks/feed/feed-waiters.ts'
import { readFeed } from '../../src/webhooks/feed/read-feed.ts'
import { readFeedPage } from '../../src/webhooks/feed/store.ts'
import { listenForEvents } from '../../src/webhooks/listen.ts'
import { useDatabase } from '../support/database.ts'
import { eventCounterRecords, eventRecords } from '../support/webhooks/records.ts'
import { emitEvents } from '../webhooks/dispatching.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const ending = new AbortController()
let seller: Seller
let running: Promise<unknown>

beforeAll(() => {
  const { feedWaiters } = api
  const parts = { clock: systemClock, log: silentLog, signal: ending.signal }
  running = Promise.all([
    workLoop(
      { ...feedWaiters, name: 'feed-waiters', idleMs: 60_000, runBatch: (s) => feedWaiters.runBatch(s) },
      { ...parts, wake: feedWaiters.wake },
    ),
    listenForEvents({ ...parts, databaseUrl: database.urls.app, onEvents: () => feedWaiters.wake.now() }),
  ])
})
afterAll(async () => {
  ending.abort()
  await running
})
beforeEach(async () => {
  seller = await api.openSeller()
})

const waiting = (count: number) =>
  vi.waitFor(() => expect(api.feedWaiters.waiting).toBe(count), { interval: 5, timeout: 10_000 })

/**
 * Starts one more reader beside those that already wait, emits an event for it, and returns the status of its
 * answer.
 */
async function waitsAndIsAnswered({ merchantId, call }: Seller): Promise<number> {
  const others = api.feedWaiters.waiting
  const answer = call('GET', '/events?waitS=30')
  await waiting(others + 1)
  await emitEvents(database.db, merchantId)
  return (await answer).status
}

describe('GET /merchants/{merchantID}/events?waitS=', () => {
  it('answers with the first event that is emitted, after a notification and without polling', async () => {
    const waits = vi.spyOn(api.feedWaiters, 'waitFor')
    onTestFinished(() => waits.mockRestore())
    const answer = seller.call('GET', '/events?waitS=30')
    await waiting(1)
    await emitEvents(database.db, seller.merchantId)
    expect((await answer).body).toMatchObject({ data: [{ sequence: 1 }], next: 1, last: 1 })
    // The reader waited once and was notified in time. Polling cannot have found the event, since the loop
    // pauses for a minute.
    expect(await Promise.all(waits.mock.results.map(({ value }) => value))).toEqual(['changed'])
    await waiting(0)
  })

  it('leaves readers of other merchants waiting', async () => {
    const other = await api.openSeller()
    const answer = seller.call('GET', '/events?waitS=1')
    await waiting(1)
    await emitEvents(database.db, other.merchantId)
    expect((await answer).body).toEqual({ data: [], next: 0, last: 0, incarnation: 1 })
  })

  it('skips an event of another type, and continues after it', async () => {
    await emitEvents(database.db, seller.merchantId, 2)
    const answer = seller.call('GET', '/events?after=2&types[]=webhook.test&waitS=2')
    await waiting(1)
    await emitEvents(database.db, seller.merchantId)
    expect((await answer).body).toEqual({ data: [], next: 3, last: 3, incarnation: 1 })
  })

  it('answers nothing to a key that was replaced during the wait', async () => {
    const answer = seller.call('GET', '/events?waitS=30')
    await waiting(1)
    await api.client({ token: seller.token }).generateKey({ merchantID: seller.merchantId })
    await emitEvents(database.db, seller.merchantId)
    expect((await answer).status).toBe(401)
  })

  it('removes a reader that has disconnected', async () => {
    const path = `/merchants/${seller.merchantId}/events?waitS=30`
    const request = get({ host: '127.0.0.1', port: api.port, path, headers: { 'x-api-key': seller.key } })
    request.on('error', () => {})
    await waiting(1)
    request.destroy()
    await waiting(0)
  })

  it('lets a merchant have a limited number of waiting readers and refuses the next, whoever else waits', async () => {
    const many = Array.from({ length: limits.feedReadersPerMerchant }, () =>
      seller.call('GET', '/events?waitS=30'),
    )
    await waiting(limits.feedReadersPerMerchant)
    const { status, headers } = await seller.call('GET', '/events?waitS=30')
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('5')
    expect(await waitsAndIsAnswered(await api.openSeller())).toBe(200)
    await emitEvents(database.db, seller.merchantId)
    for (const { body } of await Promise.all(many)) expect(body.next).toBe(1)
  })

  it('limits the waiting readers of all merchants of one account together, whichever keys they use', async () => {
    const { token } = await api.register()
    const own = await Promise.all(
      [1, 2, 3].map(async () => {
        const merchantId = await api.makeMerchant(token)
        return { merchantId, key: await api.makeKey(token, merchantId) }
      }),
    )
    const reading = own.flatMap(({ merchantId, key }) =>
      Array.from({ length: limits.feedReadersPerMerchant }, () =>
        api.call('GET', `/merchants/${merchantId}/events?waitS=30`, { key }),
      ),
    )
    const answered = reading.map(async (answer) => (await answer).status)
    await waiting(limits.feedReadersPerAccount)
    const refused = reading.length - limits.feedReadersPerAccount
    const early = new Array(refused).fill(429)
    // Readers above the bound are refused at once, and those of another account are not affected.
    expect(await waitsAndIsAnswered(await api.openSeller())).toBe(200)
    for (const { merchantId } of own) await emitEvents(database.db, merchantId)
    const statuses = (await Promise.all(answered)).toSorted()
    expect(statuses).toEqual([...new Array(limits.feedReadersPerAccount).fill(200), ...early])
  })

  it.each(['-1', '31', '1.5', 'x'])('refuses waitS=%s', async (waitS) => {
    expect((await seller.call('GET', `/events?waitS=${waitS}`)).status).toBe(400)
  })
})

describe('a process at its limit of readers', () => {
  it('refuses further readers', async () => {
    const feedWaiters = new FeedWaiters({ db: database.db, readersMax: 1 })
    const stop = new AbortController()
    const first = feedWaiters.waitFor(seller.merchantId, 0, 10_000, stop.signal)
    await expect(feedWaiters.waitFor('x', 0, 10_000, stop.signal)).rejects.toMatchObject({ code: 'too-busy' })
    stop.abort()
    await first
    expect(feedWaiters.waiting).toBe(0)
  })
})

describe('GET /merchants/{merchantID}/events?types[]=', () => {
  it('returns only these types, each event once, and its "next" skips none that is emitted later', async () => {
    const { db } = database
    await emitEvents(db, seller.merchantId, 7)
    for (const event of await eventRecords.all(db, { merchantId: seller.merchantId, sequence: [2, 3, 6] }))
      await eventRecords.change(
        db,
        { id: event.id },
        { type: 'invoice.paid', body: event.body.replaceAll('transaction.detected', 'invoice.paid') },
      )
    const read = async (after: number) =>
      (await seller.call('GET', `/events?types[]=invoice.paid&limit=2&after=${after}`)).body
    const first = await read(0)
    expect(first).toMatchObject({ data: [{ sequence: 2 }, { sequence: 3 }], next: 3, last: 7 })
    expect(await read(first.next)).toMatchObject({ data: [{ sequence: 6 }], next: 7, last: 7 })
    expect((await seller.call('GET', '/events?types[]=invoice.lost')).status).toBe(400)
  })

  it('reads a limited number of events at a time and returns how far it has read', async () => {
    await emitEvents(database.db, seller.merchantId, 7)
    const query = { merchantId: seller.merchantId, limit: 10, types: ['webhook.test'], scannedMax: 3 }
    const nexts: number[] = []
    for (let after = 0, last = 1; after < last; ) {
      const page = await readFeedPage(database.db, { ...query, after })
      expect(page.bodies).toEqual([])
      nexts.push(page.next)
      ;({ next: after, last } = page)
    }
    expect(nexts).toEqual([3, 6, 7])
  })
})

describe('a request for rare types', () => {
  it('returns after a limited number of events if more are left to read, even if it may wait longer', async () => {
    const { db } = database
    const { merchantId } = seller
    await emitEvents(db, merchantId)
    await eventCounterRecords.change(db, { merchantId }, { lastSequence: 3 * limits.feedScannedRows })
    let polls = 0
    const query = ((...asked) => {
      polls += 1
      return db.query(...asked)
    }) as typeof db.query
    const parts = { db: { ...db, query }, feedWaiters: api.feedWaiters }
    const question = { merchantId, after: 0, limit: 10, types: ['webhook.test'], waitS: 0.3 }
    const page = await readFeed(parts, question, ending.signal)
    expect(page).toMatchObject({ bodies: [], next: limits.feedScannedRows, last: 3 * limits.feedScannedRows })
    expect(polls).toBe(1)
  })
})

it('F21 a reader who follows "next" gets every event once and in order, while others are written', async () => {
  const { merchantId } = seller
  const writing = (async () => {
    for (let round = 0; round < 10; round++)
      await Promise.all([emitEvents(database.db, merchantId, 3), emitEvents(database.db, merchantId)])
  })()
  const read: number[] = []
  for (let after = 0; read.length < 40; ) {
    const { body } = await seller.call('GET', `/events?after=${after}&limit=7&waitS=10`)
    read.push(...body.data.map(({ sequence }: { sequence: number }) => sequence))
    after = body.next
  }
  await writing
  expect(read).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
})
