import type { ServerResponse } from 'node:http'
import sql from 'sql-template-tag'
import { describe, expect, it, vi } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { one } from '../../src/platform/db/pool.ts'
import { retryDelaysMs } from '../../src/webhooks/schedule.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { openMerchantServer, status } from '../support/merchant-server.ts'
import { fromNow } from '../support/records/values.ts'
import { endpointRecords } from '../support/webhooks/records.ts'
import {
  attempted,
  deliveryOf,
  emitEvents,
  makeDue,
  merchantAt,
  setEndpoint,
  startDispatching,
} from './dispatching.ts'

const database = useDatabase()
const hourMs = 3_600_000
const longMs = limits.endpointFailingMs + hourMs

interface EndpointRow {
  readonly failing_since: Date | null
  readonly failures: number
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  /** Changes with every update of the row. */
  readonly version: string
}

async function endpointOf(merchantId: string): Promise<EndpointRow | undefined> {
  return one(
    database.db,
    sql`select *, xmin::text as version from webhook_endpoint where merchant_id = ${merchantId}`,
  )
}

/** Returns a merchant whose endpoint has failed since `sinceMs` ago, and last failed `lastMs` ago. */
async function failingMerchant(
  url: string,
  sinceMs: number,
  failures: number,
  lastMs = hourMs,
): Promise<string> {
  const merchantId = await merchantAt(database.db, url)
  await endpointRecords.change(
    database.db,
    { merchantId },
    {
      failures,
      failingSince: fromNow(`${-sinceMs} milliseconds`),
      lastFailureAt: fromNow(`${-lastMs} milliseconds`),
    },
  )
  return merchantId
}

describe('an endpoint that only fails', () => {
  it('is disabled after five days and twenty attempts, once, and the feed shows the reason', async () => {
    const server = await openMerchantServer(status(500))
    const merchantId = await failingMerchant(server.url, longMs, limits.endpointFailures - 1)
    const ids = await emitEvents(database.db, merchantId, 3)
    startDispatching(database.db)
    startDispatching(database.db)
    // A failing endpoint gets one attempt at a time, so the other deliveries find it disabled.
    const ended = () => Promise.all(ids.map((id) => deliveryOf(database.db, id)))
    await vi.waitFor(
      async () => expect((await ended()).filter(({ state }) => state === 'cancelled')).toHaveLength(2),
      10_000,
    )
    expect(server.calls).toHaveLength(1)
    expect(await endpointOf(merchantId)).toMatchObject({
      disabled_reason: 'failing',
      disabled_at: expect.any(Date),
    })
    const emitted = await eventsTo(database.db, merchantId, 'webhook.disabled')
    expect(emitted.map(({ data }) => data)).toEqual([
      { url: server.url, reason: 'failing', failingSince: expect.stringMatching(/Z$/) },
    ])
    expect(Date.now() - Date.parse(String(emitted[0]?.data['failingSince']))).toBeGreaterThan(
      limits.endpointFailingMs,
    )
  })

  it('gets nothing more: due deliveries end and stay in the feed, and others wait for a new endpoint', async () => {
    const server = await openMerchantServer(status(500))
    const merchantId = await failingMerchant(server.url, longMs, limits.endpointFailures)
    const [first] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(database.db, first)
    const [second] = await emitEvents(database.db, merchantId)
    await vi.waitFor(
      async () => expect((await deliveryOf(database.db, second)).state).toBe('cancelled'),
      5_000,
    )
    expect(server.calls).toHaveLength(1)
    expect((await eventsTo(database.db, merchantId)).map(({ type }) => type)).toEqual([
      'transaction.detected',
      'webhook.disabled',
      'transaction.detected',
    ])
    const repaired = await openMerchantServer()
    await setEndpoint(database.db, merchantId, repaired.url)
    await makeDue(database.db, first)
    expect((await attempted(database.db, first, 2)).state).toBe('delivered')
  })

  it.each([
    ['for less than five days', limits.endpointFailingMs - hourMs, 1000],
    ['in fewer attempts', longMs, limits.endpointFailures - 2],
  ])('is still tried if it has failed %s', async (_how, sinceMs, failures) => {
    const server = await openMerchantServer(status(500))
    const merchantId = await failingMerchant(server.url, sinceMs, failures)
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    expect((await attempted(database.db, id)).state).toBe('pending')
    expect(await endpointOf(merchantId)).toMatchObject({ failures: failures + 1, disabled_at: null })
  })

  it('starts a new series after a long silence: one failure now and many a month ago are not a series', async () => {
    const server = await openMerchantServer(status(500))
    const silentMs = limits.endpointSilentMs + hourMs
    const merchantId = await failingMerchant(server.url, longMs, 1000, silentMs)
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(database.db, id)
    const row = await endpointOf(merchantId)
    expect(row).toMatchObject({ failures: 1, disabled_at: null })
    expect(Date.now() - Number(row?.failing_since)).toBeLessThan(60_000)
  })

  it('is never silent for so long by the schedule alone', () => {
    expect(Math.max(...retryDelaysMs) * 1.2).toBeLessThan(limits.endpointSilentMs)
  })

  it('is working again after a success whose attempt began before the failure was recorded', async () => {
    const held: ServerResponse[] = []
    const server = await openMerchantServer(status(500), (response) => void held.push(response))
    const merchantId = await merchantAt(database.db, server.url)
    const ids = await emitEvents(database.db, merchantId, 2)
    startDispatching(database.db)
    await vi.waitFor(async () => expect(await endpointOf(merchantId)).toMatchObject({ failures: 1 }), 5_000)
    await vi.waitUntil(() => held.length === 1, { timeout: 10_000 })
    held[0]?.writeHead(200).end()
    const isDelivered = async () =>
      (await Promise.all(ids.map((id) => deliveryOf(database.db, id)))).some(
        ({ state }) => state === 'delivered',
      )
    await vi.waitFor(async () => expect(await isDelivered()).toBe(true), 5_000)
    expect(await endpointOf(merchantId)).toMatchObject({ failing_since: null, failures: 0 })
  })

  it('is working again after one success, and a later failure starts a new series', async () => {
    const server = await openMerchantServer(status(200), status(500))
    const merchantId = await failingMerchant(server.url, longMs, 1000)
    const [first] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(database.db, first)
    expect(await endpointOf(merchantId)).toMatchObject({
      failing_since: null,
      failures: 0,
      disabled_at: null,
    })
    const [second] = await emitEvents(database.db, merchantId)
    await attempted(database.db, second)
    expect(await endpointOf(merchantId)).toMatchObject({ failures: 1, disabled_at: null })
  })

  it('does not inherit the failures of a former version', async () => {
    const current = await openMerchantServer()
    const old = await openMerchantServer(async (response) => {
      await setEndpoint(database.db, merchantId, current.url)
      response.writeHead(500).end()
    })
    const merchantId = await merchantAt(database.db, old.url)
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(database.db, id)
    expect(await endpointOf(merchantId)).toMatchObject({ failing_since: null, failures: 0 })
  })
})

it('a delivery that succeeds changes nothing at an endpoint that works', async () => {
  const server = await openMerchantServer()
  const merchantId = await merchantAt(database.db, server.url)
  const before = await endpointOf(merchantId)
  const ids = await emitEvents(database.db, merchantId, 5)
  startDispatching(database.db)
  for (const id of ids) expect((await attempted(database.db, id)).state).toBe('delivered')
  expect(await endpointOf(merchantId)).toEqual(before)
})
