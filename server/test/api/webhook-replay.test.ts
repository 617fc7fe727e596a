/**
 * Tests the replay of events from a sequence number on, and the view of one delivery with all its attempts.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { replay } from '../../src/webhooks/replay/replay.ts'
import { deleteOldDeliveries } from '../../src/webhooks/store.ts'
import { useDatabase } from '../support/database.ts'
import { openMerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { fromNow, now } from '../support/records/values.ts'
import { deliveryRecords, endpointRecords, eventRecords } from '../support/webhooks/records.ts'
import { emitEvents, makeDue, setEndpoint, startDispatching } from '../webhooks/dispatching.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const patience = { timeout: 10_000, interval: 10 }
let seller: Seller

beforeEach(async () => {
  seller = await api.openSeller()
})

const bearer = (method: string, path = '', options = {}) =>
  api.call(method, `/weebhook/${seller.merchantId}${path}`, { token: seller.token, ...options })

const replayed = (json: object, key: string = newId()) =>
  bearer('POST', '/replay', { json, headers: { 'idempotency-key': key } })

const setWebhook = (url = 'https://shop.example/hook') => setEndpoint(database.db, seller.merchantId, url)

/** Returns the number of deliveries of each event of the seller, in order. */
async function deliveriesPerEvent(): Promise<readonly number[]> {
  const { merchantId } = seller
  const events = await eventRecords.all(database.db, { merchantId }, 'id')
  return Promise.all(events.map(({ id: eventId }) => deliveryRecords.count(database.db, { eventId })))
}

const endAll = () =>
  deliveryRecords.change(database.db, { merchantId: seller.merchantId }, { state: 'delivered', endedAt: now })

describe('POST /weebhook/{merchantID}/replay', () => {
  it('sends every event after a sequence number again, in order, with the same ids and bytes', async () => {
    const server = await openMerchantServer()
    await setWebhook(server.url)
    await emitEvents(database.db, seller.merchantId, 5)
    const { dispatcher } = startDispatching(database.db, { parts: { perEndpointMax: 1 } })
    await vi.waitFor(() => expect(server.calls).toHaveLength(5), patience)
    const { status: answered, body } = await replayed({ after: 2 })
    expect(answered).toBe(202)
    expect(body).toEqual({ count: 3, next: null })
    dispatcher.wake.now()
    await vi.waitFor(() => expect(server.calls).toHaveLength(8), patience)
    const sent = server.calls.map((call) => ({ id: call.headers['webhook-id'], body: call.body.toString() }))
    const first = sent.slice(0, 5).toSorted((a, b) => sequenceOf(a.body) - sequenceOf(b.body))
    expect(sent.slice(5)).toEqual(first.slice(2))
  })

  it('stops at "toSequence", and treats one beyond the newest event as the newest', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 5)
    expect((await replayed({ after: 1, toSequence: 3 })).body).toEqual({ count: 2, next: null })
    expect(await deliveriesPerEvent()).toEqual([1, 2, 2, 1, 1])
    expect((await replayed({ after: 4, toSequence: 1_000 })).body).toEqual({ count: 1, next: null })
    expect((await replayed({ after: 5 })).body).toEqual({ count: 0, next: null })
    expect((await replayed({ after: 900 })).body).toEqual({ count: 0, next: null })
    expect(await deliveriesPerEvent()).toEqual([1, 2, 2, 1, 2])
  })

  it('queues nothing twice for one Idempotency-Key, and queues again for another', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 3)
    const key = newId()
    const answers = await Promise.all([replayed({ after: 0 }, key), replayed({ after: 0 }, key)])
    expect(answers.map((answer) => [answer.status, answer.text])).toEqual([
      [202, '{"count":3,"next":null}'],
      [202, '{"count":3,"next":null}'],
    ])
    expect(await deliveriesPerEvent()).toEqual([2, 2, 2])
    expect((await replayed({ after: 1 }, key)).status).toBe(409)
    await replayed({ after: 0 })
    expect(await deliveriesPerEvent()).toEqual([3, 3, 3])
  })

  it('leaves the events and deliveries of other merchants unchanged', async () => {
    const other = await api.openSeller()
    await emitEvents(database.db, other.merchantId, 4)
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 2)
    expect((await replayed({ after: 0 })).body.count).toBe(2)
    expect(await deliveryRecords.count(database.db, { merchantId: other.merchantId })).toBe(4)
  })

  it('is refused without a webhook, with one that is disabled, and with a deleted merchant', async () => {
    const [id] = await emitEvents(database.db, seller.merchantId, 2)
    expect((await replayed({ after: 0 })).status).toBe(404)
    await setWebhook()
    await endpointRecords.change(
      database.db,
      { merchantId: seller.merchantId },
      { disabledAt: now, disabledReason: 'gone' },
    )
    for (const path of ['/replay', '/test', `/deliveries/${id}/redeliver`]) {
      const { status: answered, body } = await bearer(
        'POST',
        path,
        path === '/replay' ? { json: { after: 0 } } : {},
      )
      expect([answered, body.type.split('/').at(-1)]).toEqual([409, 'webhook-disabled'])
    }
    await setWebhook()
    await seller.call('DELETE', '', { key: undefined, token: seller.token })
    expect((await replayed({ after: 0 })).status).toBe(404)
    expect(await deliveriesPerEvent()).toEqual([1, 1])
  })

  it.each([
    [{}, '/after'],
    [{ after: -1 }, '/after'],
    [{ after: '1' }, '/after'],
    [{ after: 1.5 }, '/after'],
    [{ after: 2 ** 60 }, '/after'],
    [{ after: 3, toSequence: 3 }, '/toSequence'],
    [{ after: 3, toSequence: 0 }, '/toSequence'],
    [{ after: 3, before: 9 }, '/before'],
  ])('refuses %j and names the field', async (json, pointer) => {
    await setWebhook()
    const { status: answered, body } = await replayed(json)
    expect(answered).toBe(400)
    expect(body.errors).toMatchObject([{ pointer }])
  })

  it('accepts a limited number of replays a minute and refuses the next', async () => {
    await setWebhook()
    for (let call = 0; call < limits.replaysPerMinute; call++) {
      expect((await replayed({ after: 0, toSequence: call + 1 })).status).toBe(202)
    }
    const { status: answered, headers } = await replayed({ after: 0 })
    expect(answered).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('is refused to anonymous callers, API keys and foreign accounts', async () => {
    const other = await api.openSeller()
    const path = `/weebhook/${seller.merchantId}/replay`
    expect((await api.call('POST', path, { json: { after: 0 } })).status).toBe(401)
    expect((await api.call('POST', path, { json: { after: 0 }, key: seller.key })).status).toBe(403)
    expect((await api.call('POST', path, { json: { after: 0 }, token: other.token })).status).toBe(403)
  })
})

describe('a replay', () => {
  const bounds = { rowsMax: 3, backlogMax: 100 }
  const orderOf = (over: object = {}) => ({
    id: newId(),
    merchantId: seller.merchantId,
    after: 0,
    toSequence: undefined,
    ...over,
  })

  it('of several calls queues every event once for a caller who follows "next"', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 7)
    const counts: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      const { count, next }: { count: number; next: number | null } = await replay(
        database.db,
        orderOf({ after }),
        bounds,
      )
      counts.push(count)
      after = next
    }
    expect(counts).toEqual([3, 3, 1])
    expect(await deliveriesPerEvent()).toEqual([2, 2, 2, 2, 2, 2, 2])
    expect(await replay(database.db, orderOf({ after: 1, toSequence: 4 }), bounds)).toEqual({
      count: 3,
      next: null,
    })
  })

  it('that is repeated after a lost answer adds nothing and answers the same, even if events were emitted meanwhile', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 2)
    const order = orderOf()
    const first = await replay(database.db, order, bounds)
    await emitEvents(database.db, seller.merchantId, 2)
    expect(await replay(database.db, order, bounds)).toEqual(first)
    expect(await replay(database.db, order, { ...bounds, backlogMax: 1 })).toEqual(first)
    expect(await deliveriesPerEvent()).toEqual([2, 2, 1, 1])
  })

  it('is refused while many deliveries wait, queues nothing then, and is accepted later', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 5)
    const order = orderOf()
    const narrow = { rowsMax: 3, backlogMax: 5 }
    await expect(replay(database.db, order, narrow)).rejects.toMatchObject({ code: 'too-many-requests' })
    expect(await deliveriesPerEvent()).toEqual([1, 1, 1, 1, 1])
    await endAll()
    expect(await replay(database.db, order, narrow)).toEqual({ count: 3, next: 3 })
  })

  it('queues at most its maximum, however many are requested at once', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 4)
    await endAll()
    const narrow = { rowsMax: 4, backlogMax: 4 }
    const asked = Array.from({ length: 8 }, () => replay(database.db, orderOf(), narrow))
    const taken = (await Promise.allSettled(asked)).filter(({ status: ended }) => ended === 'fulfilled')
    expect(taken).toHaveLength(1)
    expect(await deliveriesPerEvent()).toEqual([2, 2, 2, 2])
  })

  it('is deleted with other deliveries of its age', async () => {
    await setWebhook()
    await emitEvents(database.db, seller.merchantId, 20)
    const dayMs = 24 * 60 * 60 * 1000
    const order = orderOf({ id: newId(Date.now() - 93 * dayMs) })
    await replay(database.db, order, { ...bounds, rowsMax: 20 })
    await replay(database.db, orderOf(), { ...bounds, rowsMax: 20 })
    await deliveryRecords.change(
      database.db,
      { merchantId: seller.merchantId },
      { state: 'delivered', endedAt: fromNow('-91 days') },
    )
    await deleteOldDeliveries(database.db, 1_000)
    expect(await deliveriesPerEvent()).toEqual(Array.from({ length: 20 }, () => 2))
  })
})

describe('GET /weebhook/{merchantID}/deliveries/{deliveryID}', () => {
  it('shows the body that is sent and each attempt with its answer', async () => {
    const server = await openMerchantServer(status(500), status(200))
    await setWebhook(server.url)
    const [id] = await emitEvents(database.db, seller.merchantId)
    const before = (await bearer('GET', `/deliveries/${id}`)).body
    expect(before).toMatchObject({ id, state: 'pending', attempts: 0, sequence: 1, attemptLog: [] })
    const { dispatcher } = startDispatching(database.db)
    const read = async (attempts: number) =>
      vi.waitFor(async () => {
        const { body } = await bearer('GET', `/deliveries/${id}`)
        expect(body.attempts).toBe(attempts)
        return body
      }, patience)
    expect(await read(1)).toMatchObject({ state: 'pending', lastStatus: 500, attemptLog: [{ status: 500 }] })
    await makeDue(database.db, id)
    dispatcher.wake.now()
    const shown = await read(2)
    expect(shown).toMatchObject({ id, state: 'delivered', lastStatus: 200, nextAttemptAt: null })
    const attempt = {
      startedAt: expect.stringMatching(/Z$/),
      tookMs: expect.any(Number),
      error: null,
      excerpt: 'ok',
    }
    expect(shown.attemptLog).toEqual([
      { ...attempt, number: 1, status: 500 },
      { ...attempt, number: 2, status: 200 },
    ])
    expect(server.calls.map(({ body }) => body.toString())).toEqual([shown.body, shown.body])
    const listed = await bearer('GET', '/deliveries')
    const { body: _, attemptLog: __, ...summary } = shown
    expect(listed.body.data).toEqual([summary])
  })

  it('shows why there was no answer', async () => {
    const server = await startMerchantServer()
    await server.close()
    await setWebhook(server.url)
    const [id] = await emitEvents(database.db, seller.merchantId)
    startDispatching(database.db)
    await vi.waitFor(async () => {
      const { body } = await bearer('GET', `/deliveries/${id}`)
      expect(body.attemptLog).toMatchObject([
        { number: 1, status: null, error: 'ECONNREFUSED', excerpt: null },
      ])
    }, patience)
  })

  it('answers 404 for a delivery of another merchant, an unknown id and a malformed one, and 403 to a key', async () => {
    const other = await api.openSeller()
    const [foreign] = await emitEvents(database.db, other.merchantId)
    const [own] = await emitEvents(database.db, seller.merchantId)
    for (const id of [foreign, newId(), 'x', '%00']) {
      expect((await bearer('GET', `/deliveries/${id}`)).status).toBe(404)
    }
    expect((await bearer('GET', `/deliveries/${own}`, { token: undefined, key: seller.key })).status).toBe(
      403,
    )
    expect((await bearer('GET', `/deliveries/${own}`)).status).toBe(200)
  })
})

function sequenceOf(body: string): number {
  return JSON.parse(body).sequence
}
