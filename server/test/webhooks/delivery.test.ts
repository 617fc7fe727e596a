import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { removeWebhook } from '../../src/merchants/change-webhook.ts'
import { useDatabase } from '../support/database.ts'
import { openMerchantServer, status } from '../support/merchant-server.ts'
import { deliveryRecords, endpointRecords, eventRecords } from '../support/webhooks/records.ts'
import {
  attempted,
  deliveryOf,
  emitEvents,
  makeDue,
  merchantAt,
  secretText,
  setEndpoint,
  startDispatching,
} from './dispatching.ts'

const database = useDatabase()

describe('a delivery', () => {
  it('sends the stored bytes, with signatures that verify over them', async () => {
    const server = await openMerchantServer()
    const merchantId = await merchantAt(database.db, server.url)
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db, { parts: { incarnation: () => 7 } })
    const row = await attempted(database.db, id)
    expect(row).toMatchObject({ state: 'delivered', tried: [{ status: 200, error: null, excerpt: 'ok' }] })
    const { headers, body } = required(server.calls[0], 'the call')
    expect(body.equals(Buffer.from(row.body, 'utf8'))).toBe(true)
    expect(headers['x-service-signature']).toBe(createHmac('sha256', secretText).update(body).digest('hex'))
    expect(headers['x-coffer-signature']).toBe(headers['x-service-signature'])
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('utf8')}`
    const standard = createHmac('sha256', secretText).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${standard}`)
    expect(headers['webhook-id']).toBe(row.eventId)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['x-service-incarnation']).toBe('7')
    expect(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']))).toBeLessThan(30)
    const [endpoint] = await endpointRecords.all(database.db, { merchantId }, 'token')
    expect(headers['x-service-webhook-token']).toBe(endpoint?.token)
  })

  it('is retried by the schedule after a 500, with the same id and bytes, until a 2xx', async () => {
    const server = await openMerchantServer(status(500), status(204))
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    startDispatching(database.db)
    const failed = await attempted(database.db, id)
    expect(failed.state).toBe('pending')
    expect(failed.restS).toBeGreaterThan(3)
    expect(failed.restS).toBeLessThan(6)
    await makeDue(database.db, id)
    const delivered = await attempted(database.db, id, 2)
    expect(delivered.tried.map((attempt) => attempt.status)).toEqual([500, 204])
    expect(delivered.state).toBe('delivered')
    const [first, second] = server.calls
    expect(second?.body).toEqual(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  it('is given up after the tenth failed attempt', async () => {
    const server = await openMerchantServer(status(502))
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    await deliveryRecords.change(database.db, { id }, { attempts: 9 })
    startDispatching(database.db)
    expect((await attempted(database.db, id, 10)).state).toBe('exhausted')
  })

  it.each([
    [301, 'of ours'],
    [307, 'of ours'],
    [308, 'of ours'],
    [301, 'https://1.1.1.1/hook'],
    [307, 'https://1.1.1.1/hook'],
    [302, 'http://169.254.169.254/latest'],
  ])('F03 follows no redirect: %i to a place %s is a failure', async (code, target) => {
    const elsewhere = await openMerchantServer()
    const location = target === 'of ours' ? elsewhere.url : target
    const server = await openMerchantServer(status(code, { location }))
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    startDispatching(database.db)
    expect(await attempted(database.db, id)).toMatchObject({ state: 'pending', tried: [{ status: code }] })
    expect(elsewhere.calls).toEqual([])
  })

  it('waits as long as Retry-After asks', async () => {
    const server = await openMerchantServer(status(503, { 'retry-after': '3600' }))
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    startDispatching(database.db)
    const { restS } = await attempted(database.db, id)
    expect(restS).toBeGreaterThan(3_590)
    expect(restS).toBeLessThanOrEqual(3_600)
  })

  it('uses the current URL and token when it is retried', async () => {
    const old = await openMerchantServer(status(500))
    const current = await openMerchantServer()
    const merchantId = await merchantAt(database.db, old.url)
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(database.db, id)
    await setEndpoint(database.db, merchantId, current.url)
    await makeDue(database.db, id)
    expect((await attempted(database.db, id, 2)).state).toBe('delivered')
    const tokens = [old, current].map((server) => server.calls[0]?.headers['x-service-webhook-token'])
    expect(new Set(tokens).size).toBe(2)
  })
})

describe('an endpoint that answers 410 or was deleted', () => {
  it('F04 is disabled by its own 410: the event is kept, the feed shows it, and nothing more is sent', async () => {
    const server = await openMerchantServer(status(410))
    const merchantId = await merchantAt(database.db, server.url)
    const [first] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    expect(await attempted(database.db, first)).toMatchObject({
      state: 'cancelled',
      tried: [{ status: 410 }],
    })
    const [second] = await emitEvents(database.db, merchantId)
    await vi.waitFor(
      async () => expect((await deliveryOf(database.db, second)).state).toBe('cancelled'),
      5_000,
    )
    const feed = await eventRecords.all(database.db, { merchantId }, 'type')
    expect(feed.map((event) => event.type)).toEqual([
      'transaction.detected',
      'webhook.disabled',
      'transaction.detected',
    ])
    expect(server.calls).toHaveLength(1)
  })

  it('is not affected by a late 410 of a former version, and gets the events that the former one refused', async () => {
    const current = await openMerchantServer()
    let replace: Promise<void> = Promise.resolve()
    const old = await openMerchantServer((response) => {
      replace = setEndpoint(database.db, merchantId, current.url).then(() => {
        response.writeHead(410).end()
      })
    })
    const merchantId = await merchantAt(database.db, old.url)
    const [first] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    const statuses = (row: Awaited<ReturnType<typeof deliveryOf>>) => row.tried.map((tried) => tried.status)
    await vi.waitFor(async () => {
      const row = await deliveryOf(database.db, first)
      expect([row.state, statuses(row)]).toEqual(['delivered', [410, 200]])
    }, 5_000)
    await replace
    const [second] = await emitEvents(database.db, merchantId)
    expect((await attempted(database.db, second)).state).toBe('delivered')
  })

  it('F17 gets no further attempt once it is deleted, and neither does a merchant without one', async () => {
    const server = await openMerchantServer(status(500))
    const merchantId = await merchantAt(database.db, server.url)
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(database.db, id)
    await removeWebhook(database.db, { accountId: newId(), merchantId })
    await makeDue(database.db, id)
    await vi.waitFor(async () => expect((await deliveryOf(database.db, id)).state).toBe('cancelled'), 5_000)
    expect(server.calls).toHaveLength(1)
  })
})
