/**
 * Tests how an open checkout page learns of changes: by a stream of events, or by polling if there is no
 * stream.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { followCheckout } from '../../src/checkout/follow-checkout.ts'
import { languages } from '../../src/checkout/languages/language.ts'
import { Viewers } from '../../src/checkout/viewers.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { workLoop } from '../../src/core/concurrency/work-loop.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { listenForEvents } from '../../src/webhooks/listen.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { type EventSourceReader, openEventSource, till } from '../support/event-source.ts'
import { depositRecords, quoteRecords } from '../support/payments/records.ts'
import { fromNow, now } from '../support/records/values.ts'
import { type Seller, startShopApi, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const ending = new AbortController()
let seller: Seller
let running: Promise<unknown>
const opened: EventSourceReader[] = []

beforeAll(async () => {
  seller = await api.openSeller()
  const { viewers } = api
  const parts = { clock: systemClock, log: silentLog, signal: ending.signal }
  running = Promise.all([
    // The loop does not poll within a test, so every change must reach it through a notification.
    workLoop(
      { name: 'viewers', idleMs: 60_000, runBatch: (s) => viewers.runBatch(s) },
      { ...parts, wake: viewers.wake },
    ),
    listenForEvents({ ...parts, databaseUrl: database.urls.app, onEvents: () => viewers.wake.now() }),
  ])
})
afterAll(async () => {
  ending.abort()
  await running
})
afterEach(async () => {
  for (const one of opened.splice(0)) one.close()
  await till(() => api.viewers.count === 0)
})

async function follow(id: string, headers: Record<string, string> = {}): Promise<EventSourceReader> {
  const source = await openEventSource(`http://127.0.0.1:${api.port}/pay/${id}/events`, headers)
  opened.push(source)
  return source
}

const phases = (source: EventSourceReader) => source.events.map(({ phase }) => phase)

async function payAll(id: string, minor = 10_000_000n): Promise<void> {
  const { address } = (await api.addressOf(id)).body
  await api.blocks.mine([api.blocks.pay(address.toLowerCase(), minor)])
}

describe('GET /pay/{invoiceID}/events', () => {
  it('sends the current state, and each change when the database notifies of it', async () => {
    const id = await seller.createInvoice()
    const source = await follow(id)
    await till(() => source.events.length === 1)
    await payAll(id, 4_000_000n)
    await till(() => source.events.length === 2)
    await payAll(id, 6_000_000n)
    await till(() => source.events.length === 3)
    await api.blocks.undo(1)
    await till(() => source.events.length === 4)
    expect(phases(source)).toEqual(['pay', 'partial', 'paid', 'dropped'])
    expect(source.events[1].card).toContain('uint256=6000000')
  })

  it('answers HEAD at once, with the same headers, and keeps no stream open', async () => {
    const head = await api.call('HEAD', `/pay/${await seller.createInvoice()}/events`)
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    await till(() => api.viewers.count === 0)
  })

  it('sends nothing to the pages of other invoices', async () => {
    const id = await seller.createInvoice()
    const other = await seller.createInvoice()
    const source = await follow(id)
    const bystander = await follow(other)
    await till(() => source.events.length === 1 && bystander.events.length === 1)
    await payAll(id)
    await till(() => source.events.length === 2)
    expect(phases(bystander)).toEqual(['pay'])
  })

  it('sends a page that reconnects only the changes that it missed', async () => {
    const id = await seller.createInvoice()
    const source = await follow(id)
    await till(() => source.events.length === 1)
    const [{ version }] = source.events
    source.close()
    const same = await follow(id, { 'last-event-id': version })
    await till(() => same.text().startsWith('retry: '))
    expect(same.events).toEqual([])
    same.close()
    await payAll(id)
    const news = await follow(id, { 'last-event-id': version })
    await till(() => news.events.length === 1)
    expect(phases(news)).toEqual(['paid'])
  })

  it('sends changes without an event: confirmations, and the expiry of a price', async () => {
    const id = await seller.createInvoice()
    await payAll(id)
    const source = await follow(id)
    await till(() => source.events.length === 1)
    // A new block that confirms no payment writes no event. The page learns of the block by the next poll.
    const [deposit] = await depositRecords.all(database.db, { invoiceId: id }, 'blockHeight')
    await cursorRecords.change(database.db, {}, { height: 1 + (deposit?.blockHeight ?? Number.NaN) })
    api.viewers.wake.now()
    await till(() => source.events.length === 2)
    expect(source.events[1].card).toContain('<bdi>2</bdi> of <bdi>2</bdi>')
    const waiting = await seller.createInvoice({ expiresInMinutes: 600 })
    const other = await follow(waiting)
    await till(() => other.events.length === 1)
    await quoteRecords.change(
      database.db,
      { invoiceId: waiting },
      { quotedAt: fromNow('-2 hours'), expiresAt: now },
    )
    api.viewers.wake.now()
    await till(() => other.events.length === 2)
    expect(phases(other)).toEqual(['pay', 'renew'])
  })

  it('stops showing a payment that was in no mempool for half an hour', async () => {
    const id = await seller.createInvoice()
    const unseenFor = (minutes: number) =>
      depositRecords.change(database.db, { invoiceId: id }, { unseenSince: fromNow(`${-minutes} minutes`) })
    const { address } = (await api.addressOf(id)).body
    await api.blocks.see([api.blocks.pay(address.toLowerCase(), 10_000_000n)])
    await unseenFor(29)
    const source = await follow(id)
    await till(() => source.events.length === 1)
    await unseenFor(31)
    api.viewers.wake.now()
    await till(() => source.events.length === 2)
    expect(phases(source)).toEqual(['seen', 'pay'])
  })

  it('ends when the invoice is deleted, and answers 404 from then on', async () => {
    const id = await seller.createInvoice()
    const source = await follow(id)
    await till(() => source.events.length === 1)
    await seller.call('DELETE', `/invoices/${id}`)
    api.viewers.wake.now()
    await till(source.isOver)
    expect((await follow(id)).status).toBe(404)
  })

  it('queries the database once for all pages, not once for each', async () => {
    const id = await seller.createInvoice()
    const sources = await Promise.all(Array.from({ length: 20 }, () => follow(id)))
    await till(() => sources.every(({ events }) => events.length === 1))
    let polls = 0
    const query: typeof database.db.query = (statement) => {
      polls += 1
      return database.db.query(statement)
    }
    const viewers = new Viewers({ db: { ...database.db, query } })
    const signal = new AbortController().signal
    const waiting = Array.from({ length: 20 }, () => viewers.waitFor(id, 'another mark', 10_000, signal))
    await viewers.runBatch(signal)
    expect(await Promise.all(waiting)).toEqual(Array(20).fill('changed'))
    expect(polls).toBe(1)
  })
})

describe('bounds', () => {
  const partsOf = (viewers: Viewers, over = {}) => ({
    ...api.shop,
    viewers,
    codecOf: () => evmAddresses,
    walletChainOf: () => undefined,
    ...over,
  })
  const questionOf = (invoiceId: string, client: string) => ({
    invoiceId,
    client,
    methodId: undefined,
    isChoosing: false,
    isGlance: false,
    version: undefined,
    language: required(languages[0], 'a language'),
  })

  it('refuses a client that has its share of streams, and everybody when the process has its maximum', async () => {
    const id = await seller.createInvoice()
    const viewers = new Viewers({ db: database.db, viewersMax: 3, viewersPerClientMax: 2 })
    const signal = new AbortController().signal
    const open = (client: string) => followCheckout(partsOf(viewers), questionOf(id, client), signal)
    const streams = [await open('a'), await open('a')]
    await expect(open('a')).rejects.toMatchObject({ code: 'too-many-requests' })
    streams.push(await open('b'))
    await expect(open('c')).rejects.toMatchObject({ code: 'too-busy' })
    const first = required(streams.shift(), 'a stream')
    first.destroy()
    await till(() => viewers.count === 2)
    streams.push(await open('c'))
    for (const stream of streams) stream.destroy()
    await till(() => viewers.count === 0)
  })

  it('answers a page that gets no stream with Retry-After, and lets it poll until then', async () => {
    const id = await seller.createInvoice()
    await Promise.all(Array.from({ length: limits.checkoutViewersPerClient }, () => follow(id)))
    const refused = await api.call('GET', `/pay/${id}/events`)
    expect(refused).toMatchObject({ status: 429, body: { code: 'too-many-requests' } })
    expect(refused.headers.get('retry-after')).toBe('30')
    expect((await api.call('GET', `/pay/${id}/status`)).status).toBe(200)
  })

  it('answers a person beyond the rate limit with a page in their language and the time to come back', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [3] })
    const limited = await startShopApi(database, { isFollowed: false, requestsMax: 1 })
    onTestFinished(() => limited.close())
    const asks = { accept: 'text/html,*/*;q=0.8', 'accept-language': 'de' }
    const ask = (method: string, path: string, headers: Record<string, string> = asks) =>
      limited.call(method, `/pay/${id}${path}`, { headers })
    expect((await ask('GET', '')).status).toBe(200)
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/method/3'],
    ] as const) {
      const { status, headers, text } = await ask(method, path)
      expect(status).toBe(429)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(text).toContain('<html lang="de" dir="ltr">')
      expect(text).toContain('<h1>Zu viele Anfragen</h1><p>Warten Sie')
    }
    for (const path of ['/events', '/status']) {
      const { status, headers, body } = await ask('GET', path, {})
      expect({ status, code: body.code }).toEqual({ status: 429, code: 'too-many-requests' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  it('leaves most database connections to others while many pages read the same change', async () => {
    const id = await seller.createInvoice()
    await payAll(id, 4_000_000n)
    const viewers = new Viewers({ db: database.db, viewersPerClientMax: 100 })
    const { pool } = database.db
    let most = 0
    const count = () => {
      most = Math.max(most, pool.totalCount - pool.idleCount + pool.waitingCount)
    }
    pool.on('acquire', count)
    const leaving = new AbortController()
    const open = () => followCheckout(partsOf(viewers), questionOf(id, 'a'), leaving.signal)
    const streams = await Promise.all(Array.from({ length: 60 }, open))
    let received = 0
    for (const stream of streams)
      stream
        .on('error', () => {})
        .on('data', (chunk) => {
          if (String(chunk).includes('"phase":"paid"')) received += 1
        })
    await payAll(id, 6_000_000n)
    await viewers.runBatch(leaving.signal)
    await till(() => received === 60)
    pool.off('acquire', count)
    leaving.abort()
    await till(() => viewers.count === 0)
    expect(most).toBeLessThan(pool.options.max / 2)
  })

  it('keeps a stream without changes alive, and ends an old stream even if nobody reads it', async () => {
    const id = await seller.createInvoice()
    const viewers = new Viewers({ db: database.db })
    const parts = partsOf(viewers, { heartbeatMs: 20, streamMs: 300 })
    const signal = new AbortController().signal
    const read = await followCheckout(parts, questionOf(id, 'a'), signal)
    let text = ''
    read.on('data', (chunk) => {
      text += String(chunk)
    })
    read.on('error', () => {})
    const unread = await followCheckout(parts, questionOf(id, 'b'), signal)
    unread.on('error', () => {})
    await till(() => text.split(': still here').length > 2)
    await till(() => viewers.count === 0)
    expect([read.destroyed, unread.destroyed]).toEqual([true, true])
  })

  it('closes every stream when the server stops', async () => {
    const id = await seller.createInvoice()
    const stopping = new AbortController()
    const viewers = new Viewers({ db: database.db })
    const stream = await followCheckout(partsOf(viewers), questionOf(id, 'a'), stopping.signal)
    stream.on('error', () => {}).resume()
    stopping.abort()
    await till(() => viewers.count === 0 && stream.destroyed)
  })
})

describe('GET /pay/{invoiceID}/status', () => {
  it('answers 304 to a page that shows the current state, and the new state once it changes', async () => {
    const id = await seller.createInvoice()
    const path = `/pay/${id}/status`
    const first = await api.call('GET', path)
    const etag = required(first.headers.get('etag'), 'an ETag')
    expect(first.body).toMatchObject({ phase: 'pay', endsInS: expect.any(Number) })
    const again = await api.call('GET', path, { headers: { 'if-none-match': `"x", W/${etag}` } })
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
    await payAll(id)
    const news = await api.call('GET', path, { headers: { 'if-none-match': etag } })
    expect(news.body.phase).toBe('paid')
  })
})
