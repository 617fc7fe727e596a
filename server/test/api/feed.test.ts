/** The feed of events: read in order, waited for, filtered, without a gap. */
import { get } from 'node:http'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { workLoop } from '../../src/core/concurrency/work-loop.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { Arrivals } from '../../src/webhooks/feed/arrivals.ts'
import { readFeed } from '../../src/webhooks/feed/read-feed.ts'
import { readFeedPage } from '../../src/webhooks/feed/store.ts'
import { listenForEvents } from '../../src/webhooks/listen.ts'
import { useDatabase } from '../support/database.ts'
import { tell } from '../webhooks/dispatching.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const ending = new AbortController()
let seller: Seller
let running: Promise<unknown>

beforeAll(() => {
  const { arrivals } = api
  const parts = { clock: systemClock, log: silentLog, signal: ending.signal }
  running = Promise.all([
    workLoop(
      { ...arrivals, name: 'arrivals', idleMs: 60_000, takeAndDo: (s) => arrivals.takeAndDo(s) },
      { ...parts, wake: arrivals.wake },
    ),
    listenForEvents({ ...parts, databaseUrl: database.urls.app, onEvents: () => arrivals.wake.now() }),
  ])
})
afterAll(async () => {
  ending.abort()
  await running
})
beforeEach(async () => {
  seller = await api.openSeller()
})

const waiting = (count: number) => vi.waitFor(() => expect(api.arrivals.waiting).toBe(count), { interval: 5 })

describe('GET /merchants/{merchantID}/events?waitS=', () => {
  it('answers with the first event that comes, by being told and not by asking again', async () => {
    const answer = seller.call('GET', '/events?waitS=30')
    await waiting(1)
    const startedMs = performance.now()
    await tell(database.db, seller.merchantId)
    expect((await answer).body).toMatchObject({ data: [{ sequence: 1 }], next: 1, last: 1 })
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    await waiting(0)
  })

  it('leaves those waiting whose merchant it does not concern', async () => {
    const other = await api.openSeller()
    const answer = seller.call('GET', '/events?waitS=1')
    await waiting(1)
    await tell(database.db, other.merchantId)
    expect((await answer).body).toEqual({ data: [], next: 0, last: 0, incarnation: 1 })
  })

  it('lets an event pass that is not asked for, and stands behind it', async () => {
    await tell(database.db, seller.merchantId, 2)
    const answer = seller.call('GET', '/events?after=2&types[]=webhook.test&waitS=2')
    await waiting(1)
    await tell(database.db, seller.merchantId)
    expect((await answer).body).toEqual({ data: [], next: 3, last: 3, incarnation: 1 })
  })

  it('tells nothing to a key that was replaced meanwhile', async () => {
    const answer = seller.call('GET', '/events?waitS=30')
    await waiting(1)
    await api.client({ token: seller.token }).generateKey({ merchantID: seller.merchantId })
    await tell(database.db, seller.merchantId)
    expect((await answer).status).toBe(401)
  })

  it('forgets a reader that is gone', async () => {
    const path = `/merchants/${seller.merchantId}/events?waitS=30`
    const request = get({ host: '127.0.0.1', port: api.port, path, headers: { 'x-api-key': seller.key } })
    request.on('error', () => {})
    await waiting(1)
    request.destroy()
    await waiting(0)
  })

  it('lets so many of a merchant wait and refuses the next, whoever else waits', async () => {
    const many = Array.from({ length: limits.feedReadersPerMerchant }, () =>
      seller.call('GET', '/events?waitS=30'),
    )
    await waiting(limits.feedReadersPerMerchant)
    const { status, headers } = await seller.call('GET', '/events?waitS=30')
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('5')
    expect((await (await api.openSeller()).call('GET', '/events?waitS=1')).status).toBe(200)
    await tell(database.db, seller.merchantId)
    for (const { body } of await Promise.all(many)) expect(body.next).toBe(1)
  })

  it('lets so many of all merchants of one account wait, whichever keys they come with', async () => {
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
    // Those that are above the bound are told at once; another account's is not kept out by them.
    expect((await (await api.openSeller()).call('GET', '/events?waitS=1')).status).toBe(200)
    for (const { merchantId } of own) await tell(database.db, merchantId)
    const statuses = (await Promise.all(answered)).toSorted()
    expect(statuses).toEqual([...new Array(limits.feedReadersPerAccount).fill(200), ...early])
  })

  it.each(['-1', '31', '1.5', 'x'])('refuses waitS=%s', async (waitS) => {
    expect((await seller.call('GET', `/events?waitS=${waitS}`)).status).toBe(400)
  })
})

describe('a process at its limit', () => {
  it('refuses further readers instead of holding ever more', async () => {
    const arrivals = new Arrivals({ db: database.db, readersMax: 1 })
    const stop = new AbortController()
    const first = arrivals.waitFor(seller.merchantId, 0, 10_000, stop.signal)
    await expect(arrivals.waitFor('x', 0, 10_000, stop.signal)).rejects.toMatchObject({ code: 'too-busy' })
    stop.abort()
    await first
    expect(arrivals.waiting).toBe(0)
  })
})

describe('GET /merchants/{merchantID}/events?types[]=', () => {
  it('gives only those, each once, and "next" passes over none that comes later', async () => {
    const { db } = database
    await tell(db, seller.merchantId, 7)
    await db.query(sql`
      update event set type = 'invoice.paid', body = replace(body, 'transaction.detected', 'invoice.paid')
      where merchant_id = ${seller.merchantId} and sequence in (2, 3, 6)`)
    const read = async (after: number) =>
      (await seller.call('GET', `/events?types[]=invoice.paid&limit=2&after=${after}`)).body
    const first = await read(0)
    expect(first).toMatchObject({ data: [{ sequence: 2 }, { sequence: 3 }], next: 3, last: 7 })
    expect(await read(first.next)).toMatchObject({ data: [{ sequence: 6 }], next: 7, last: 7 })
    expect((await seller.call('GET', '/events?types[]=invoice.lost')).status).toBe(400)
  })

  it('looks through a bounded stretch at a time and says where it stands', async () => {
    await tell(database.db, seller.merchantId, 7)
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

describe('a question for types that are rare', () => {
  it('is answered after one stretch where more is left to look through, however long it may wait', async () => {
    const { db } = database
    const { merchantId } = seller
    await tell(db, merchantId)
    await db.query(sql`update event_counter set last_sequence = ${3 * limits.feedScannedRows}
                       where merchant_id = ${merchantId}`)
    let looks = 0
    const query = ((...asked) => {
      looks += 1
      return db.query(...asked)
    }) as typeof db.query
    const parts = { db: { ...db, query }, arrivals: api.arrivals }
    const question = { merchantId, after: 0, limit: 10, types: ['webhook.test'], waitS: 0.3 }
    const page = await readFeed(parts, question, ending.signal)
    expect(page).toMatchObject({ bodies: [], next: limits.feedScannedRows, last: 3 * limits.feedScannedRows })
    expect(looks).toBe(1)
  })
})

it('F21 a reader who keeps "next" has every event once and in order, while others are written', async () => {
  const { merchantId } = seller
  const writing = (async () => {
    for (let round = 0; round < 10; round++)
      await Promise.all([tell(database.db, merchantId, 3), tell(database.db, merchantId)])
  })()
  const read: number[] = []
  for (let after = 0; read.length < 40; ) {
    const { body } = await seller.call('GET', `/events?after=${after}&limit=7&waitS=10`)
    read.push(...body.data.map(({ sequence }: { sequence: number }) => sequence))
    after = body.next
  }
  await writing
  expect(read).toEqual(Array.from({ length: 40 }, (_, place) => place + 1))
})
