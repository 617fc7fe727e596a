import { beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { openMerchantServer } from '../support/merchant-server.ts'
import { idempotencyRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { deliveryAttemptRecords, deliveryRecords, eventRecords } from '../support/webhooks/records.ts'
import { emitEvents, setEndpoint, startDispatching } from '../webhooks/dispatching.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

beforeEach(async () => {
  seller = await api.openSeller()
})

const bearer = (method: string, path = '', options = {}) =>
  api.call(method, `/weebhook/${seller.merchantId}${path}`, { token: seller.token, ...options })

const setWebhook = () => setEndpoint(database.db, seller.merchantId, 'https://shop.example/hook')

describe('GET /weebhook/{merchantID}/deliveries', () => {
  it('lists the deliveries of the merchant, newest first, by pages and states', async () => {
    const other = await api.openSeller()
    await emitEvents(database.db, other.merchantId)
    const ids = await emitEvents(database.db, seller.merchantId, 3)
    await deliveryRecords.change(
      database.db,
      { id: ids[0] },
      { state: 'delivered', endedAt: now, attempts: 1 },
    )
    await deliveryAttemptRecords.add(database.db, {
      deliveryId: ids[0],
      number: 1,
      startedAt: now,
      tookMs: 5,
      status: 204,
    })
    const { body } = await bearer('GET', '/deliveries?limit=2')
    expect(body).toMatchObject({ total: 3, page: 1, limit: 2 })
    expect(body.data).toHaveLength(2)
    const delivered = await bearer('GET', '/deliveries?states[]=delivered')
    expect(delivered.body).toMatchObject({
      total: 1,
      data: [
        {
          id: ids[0],
          type: 'transaction.detected',
          state: 'delivered',
          attempts: 1,
          nextAttemptAt: null,
          lastStatus: 204,
          lastError: null,
        },
      ],
    })
    expect((await bearer('GET', '/deliveries?states[]=lost')).status).toBe(400)
  })
})

describe('POST /weebhook/{merchantID}/deliveries/{deliveryID}/redeliver', () => {
  it('sends the same id and bytes again, once for one Idempotency-Key', async () => {
    const server = await openMerchantServer()
    await setEndpoint(database.db, seller.merchantId, server.url)
    const [id] = await emitEvents(database.db, seller.merchantId)
    const { dispatcher } = startDispatching(database.db)
    await vi.waitFor(() => expect(server.calls).toHaveLength(1), { timeout: 10_000, interval: 10 })
    const headers = { 'idempotency-key': newId() }
    const first = await bearer('POST', `/deliveries/${id}/redeliver`, { headers })
    const second = await bearer('POST', `/deliveries/${id}/redeliver`, { headers })
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.text).toBe(first.text)
    dispatcher.wake.now()
    await vi.waitFor(() => expect(server.calls).toHaveLength(2), { timeout: 10_000, interval: 10 })
    expect(server.calls[1]?.body.equals(server.calls[0]?.body ?? Buffer.alloc(0))).toBe(true)
    expect(server.calls[1]?.headers['webhook-id']).toBe(server.calls[0]?.headers['webhook-id'])
    expect((await bearer('GET', '/deliveries')).body.total).toBe(2)
  })

  it('answers 404 for a delivery of another merchant, an unknown one, and without a webhook', async () => {
    const other = await api.openSeller()
    const [foreign] = await emitEvents(database.db, other.merchantId)
    const [own] = await emitEvents(database.db, seller.merchantId)
    await setWebhook()
    expect((await bearer('POST', `/deliveries/${foreign}/redeliver`)).status).toBe(404)
    expect((await bearer('POST', `/deliveries/${newId()}/redeliver`)).status).toBe(404)
    expect((await bearer('POST', `/deliveries/${own}/redeliver`)).status).toBe(202)
    await bearer('DELETE')
    expect((await bearer('POST', `/deliveries/${own}/redeliver`)).status).toBe(404)
    expect((await bearer('GET', '/deliveries')).body.total).toBe(2)
  })
})

describe('POST /weebhook/{merchantID}/test', () => {
  it('appends a numbered webhook.test event that is delivered like any other', async () => {
    expect((await bearer('POST', '/test')).status).toBe(404)
    await setWebhook()
    const { status, body } = await bearer('POST', '/test')
    expect(status).toBe(202)
    const feed = await seller.call('GET', '/events')
    expect(feed.body.data).toMatchObject([
      { type: 'webhook.test', merchantID: seller.merchantId, sequence: 1, data: { testID: body.testID } },
    ])
    expect((await bearer('GET', '/deliveries')).body.data).toMatchObject([
      { type: 'webhook.test', state: 'pending' },
    ])
  })

  it('sends one event for one Idempotency-Key, also if the first answer was never stored', async () => {
    await setWebhook()
    const headers = { 'idempotency-key': newId() }
    const first = await bearer('POST', '/test', { headers })
    // A process that died after it created the event and before it answered leaves this row. It has the claim
    // of the request's key and the id of the event.
    await idempotencyRecords.change(
      database.db,
      { key: headers['idempotency-key'] },
      { sealedAnswer: null, status: null, claimedUntil: now },
    )
    const answers = [
      first,
      await bearer('POST', '/test', { headers }),
      await bearer('POST', '/test', { headers }),
    ]
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      answers.map(() => ({ status: 202, body: first.body })),
    )
    expect((await seller.call('GET', '/events')).body).toMatchObject({ last: 1 })
  })
})

it('sends at most sixty deliveries by hand a minute, test events and repeats together', async () => {
  const [id] = await emitEvents(database.db, seller.merchantId)
  await setWebhook()
  const statuses = new Map<number, number>()
  for (let call = 0; call < 62; call++) {
    const { status } = await bearer('POST', call % 2 === 0 ? '/test' : `/deliveries/${id}/redeliver`)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect(Object.fromEntries(statuses)).toEqual({ 202: 60, 429: 2 })
})

describe('GET /merchants/{merchantID}/events', () => {
  it("returns every event once, in order, from the reader's position, with or without a webhook", async () => {
    await emitEvents(database.db, seller.merchantId, 5)
    await emitEvents(database.db, (await api.openSeller()).merchantId, 2)
    const first = (await seller.call('GET', '/events?limit=3')).body
    expect(first).toMatchObject({ data: [{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }], next: 3 })
    const rest = (await seller.call('GET', `/events?after=${first.next}`)).body
    expect(rest).toMatchObject({ data: [{ sequence: 4 }, { sequence: 5 }], next: 5 })
    expect((await seller.call('GET', '/events?after=5')).body).toEqual({
      data: [],
      next: 5,
      last: 5,
      incarnation: 1,
    })
    for (const after of ['-1', '1.5', 'x', '9'.repeat(30)]) {
      expect((await seller.call('GET', `/events?after=${after}`)).status).toBe(400)
    }
  })

  it('shows exactly the bytes that are delivered', async () => {
    await emitEvents(database.db, seller.merchantId)
    const [stored] = await eventRecords.all(database.db, { merchantId: seller.merchantId }, 'body')
    const { text, headers } = await seller.call('GET', '/events')
    expect(text).toBe(`{"data":[${stored?.body}],"next":1,"last":1,"incarnation":1}`)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})
