import { createServer } from 'node:net'
import sql from 'sql-template-tag'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { setWebhook } from '../../src/merchants/change-webhook.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { readBacklog } from '../../src/webhooks/backlog-store.ts'
import { useDatabase } from '../support/database.ts'
import { type Answer, openMerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { now, present } from '../support/records/values.ts'
import { deliveryRecords, endpointRecords } from '../support/webhooks/records.ts'
import {
  type DispatchingOptions,
  deliveryOf,
  emitEvents,
  merchantAt,
  sealer,
  secretText,
  setEndpoint,
  startDispatching,
} from './dispatching.ts'

const database = useDatabase()

/**
 * Returns the outcome of one event's first attempt, and the pause before the next one in seconds of the
 * database's clock.
 */
async function firstAttempt(url: string, options: DispatchingOptions = {}) {
  const [id] = await emitEvents(database.db, await merchantAt(database.db, url))
  startDispatching(database.db, options)
  return vi.waitFor(
    async () => {
      const row = await deliveryOf(database.db, id)
      expect(row).toMatchObject({ state: 'pending', attempts: 1, isClaimed: false })
      return { ...row.tried[0], restS: row.restS }
    },
    { timeout: 10_000, interval: 10 },
  )
}

/**
 * Checks a pause. Some of it has passed when it is read; of a long one, more may have passed during earlier
 * tests.
 */
function expectRest(restS: number, givenS: number): void {
  expect(restS).toBeLessThanOrEqual(givenS)
  expect(restS).toBeGreaterThan(givenS - Math.max(1.9, givenS / 50))
}

describe('F01 a failed attempt', () => {
  const reset: Answer = (response) => response.socket?.resetAndDestroy()

  it.each([
    ['500', status(500), { status: 500, error: null }],
    ['404', status(404), { status: 404, error: null }],
    ['502', status(502), { status: 502, error: null }],
    ['a reset', reset, { status: null, error: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) }],
  ])('is retried by the schedule after %s, up to a fifth sooner or later', async (_, answer, tried) => {
    const server = await openMerchantServer(answer)
    for (const [random, restS] of [
      [0, 4],
      [0.999_999, 6],
    ] as const) {
      const attempt = await firstAttempt(server.url, { parts: { random: () => random } })
      expect(attempt).toMatchObject(tried)
      expectRest(attempt.restS, restS)
    }
  })

  it('includes one that finds no listener', async () => {
    const gone = await startMerchantServer()
    await gone.close()
    expect(await firstAttempt(gone.url)).toMatchObject({ status: null, error: 'ECONNREFUSED' })
  })
})

it('F02 a handshake that does not end is aborted at the limit for connecting', async () => {
  const server = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  // The limit for connecting is 0.1 s, and the limit of the whole attempt is 8 s. undici checks its limits
  // only twice a second. If the limit for connecting did not apply, the other limit would end the attempt,
  // with another error.
  const attempt = await firstAttempt(`https://127.0.0.1:${port}/`, {
    connectMs: 100,
    parts: { totalMs: 8_000 },
  })
  expect(attempt).toMatchObject({ status: null, error: 'UND_ERR_CONNECT_TIMEOUT' })
})

describe('F05 Retry-After', () => {
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toUTCString()
  const dayAhead = { ...systemClock, now: () => new Date(Date.now() + 24 * 3_600_000) }

  it.each([
    ['in seconds', 429, '3600', 3_600],
    ['in seconds', 503, '3600', 3_600],
    ['as a date', 503, hours(2), 7_200],
    ['that is huge: for a day at most', 429, '99999999999999', 86_400],
    ['as a date far away: for a day at most', 503, 'Fri, 20 Nov 2099 10:00:00 GMT', 86_400],
    ['that is negative: no sooner than scheduled', 503, '-5', 5],
    ['as a date gone by: no sooner than scheduled', 429, hours(-2), 5],
    ['that is short: no sooner than scheduled', 429, '1', 5],
    ['of another failure, which is not waited for', 500, '3600', 5],
  ])('%s is honoured with %i', async (_, code, retryAfter, restS) => {
    const server = await openMerchantServer(status(code, { 'retry-after': retryAfter }))
    expectRest((await firstAttempt(server.url)).restS, restS)
  })

  it('in seconds counts from the database’s clock, even if the process’s clock is wrong', async () => {
    const server = await openMerchantServer(status(503, { 'retry-after': '3600' }))
    expectRest((await firstAttempt(server.url, { parts: { clock: dayAhead } })).restS, 3_600)
  })
})

describe('F05 an endpoint that asks for a pause', () => {
  const busy = (retryAfter = '3600') => status(429, { 'retry-after': retryAfter })
  const quick = { timeout: 10_000, interval: 10 }

  /**
   * Returns a merchant with a backlog whose receiver gives these answers, once all running attempts are
   * recorded.
   */
  async function resting(...answers: readonly Answer[]) {
    const server = await openMerchantServer(...answers)
    const merchantId = await merchantAt(database.db, server.url)
    const ids = await emitEvents(database.db, merchantId, 40)
    const dispatchings = [startDispatching(database.db), startDispatching(database.db)]
    await settled(merchantId)
    return {
      server,
      merchantId,
      ids,
      wake: () => dispatchings.map(({ dispatcher }) => dispatcher.wake.now()),
    }
  }

  async function restOf(merchantId: string): Promise<number> {
    const [row] = await database.db.query<{ restS: number }>(sql`
      select coalesce(extract(epoch from rest_until - now()), 0)::float8 as "restS" from webhook_endpoint
      where merchant_id = ${merchantId}`)
    return row?.restS ?? 0
  }

  async function claimedOf(merchantId: string): Promise<number> {
    const claimed = await deliveryRecords.all(database.db, { merchantId, claimedUntil: present })
    return claimed.length
  }

  /** Waits until the endpoint is paused and nothing is under way to it. */
  async function settled(merchantId: string): Promise<void> {
    await vi.waitFor(async () => {
      expect(await restOf(merchantId)).toBeGreaterThan(0)
      expect(await claimedOf(merchantId)).toBe(0)
    }, quick)
  }

  /** Returns by how many the pause lowers the number of due deliveries. Changes nothing. */
  async function dueOnceRested(merchantId: string): Promise<number> {
    const undone = new Error('undone')
    let more = 0
    const reading = inTransaction(database.db, async (tx) => {
      const resting = await readBacklog(tx)
      await endpointRecords.change(tx, { merchantId }, { restUntil: null })
      more = (await readBacklog(tx)).due - resting.due
      throw undone
    })
    await expect(reading).rejects.toBe(undone)
    return more
  }

  /**
   * Waits until dispatchers have polled once more, by sending newly queued deliveries of another merchant.
   */
  async function otherDeliveriesAreSent(): Promise<void> {
    const other = await openMerchantServer()
    const ids = await emitEvents(database.db, await merchantAt(database.db, other.url), 8)
    await vi.waitFor(() => expect(other.calls).toHaveLength(ids.length), quick)
  }

  it('gets only the running attempts, from any dispatcher, until the pause is over', async () => {
    const { server, merchantId, ids, wake } = await resting(busy())
    await otherDeliveriesAreSent()
    expect(server.calls.length).toBeLessThanOrEqual(4)
    expectRest(await restOf(merchantId), 3_600)
    // Deliveries that were not sent have not used an attempt.
    const tried = await Promise.all(ids.map((id) => deliveryOf(database.db, id)))
    expect(tried.filter(({ attempts }) => attempts > 0)).toHaveLength(server.calls.length)
    expect(await dueOnceRested(merchantId)).toBe(ids.length - server.calls.length)
    server.answer(status(200))
    await endpointRecords.change(database.db, { merchantId }, { restUntil: now })
    wake()
    await vi.waitFor(() => expect(server.calls).toHaveLength(ids.length), quick)
  })

  it('is paused for the longest time that it asked for, whatever else it answers', async () => {
    const others: (() => void)[] = []
    const held =
      (answer: Answer): Answer =>
      (response, call) =>
        void others.push(() => answer(response, call))
    const server = await openMerchantServer(
      held(status(200)),
      held(busy('7200')),
      held(busy('60')),
      held(busy('1')),
    )
    const merchantId = await merchantAt(database.db, server.url)
    await emitEvents(database.db, merchantId, 4)
    startDispatching(database.db)
    await vi.waitFor(() => expect(others).toHaveLength(4), quick)
    // Each answer is recorded before the next one is sent.
    for (const [index, answer] of others.entries()) {
      answer()
      await vi.waitFor(async () => expect(await claimedOf(merchantId)).toBe(3 - index), quick)
    }
    expectRest(await restOf(merchantId), 7_200)
  })

  it('gets deliveries at once when it is set again, and the pause of the former version does not apply', async () => {
    const { server, merchantId, ids, wake } = await resting(busy())
    expect(server.calls.length).toBeLessThanOrEqual(4)
    server.answer(status(200))
    await set(merchantId, server.url)
    wake()
    await vi.waitFor(() => expect(server.calls).toHaveLength(ids.length), quick)
    const late = await openMerchantServer(async (response, call) => {
      await set(merchantId, server.url)
      busy()(response, call)
    })
    await setEndpoint(database.db, merchantId, late.url)
    const [id] = await emitEvents(database.db, merchantId)
    wake()
    await vi.waitFor(async () => expect((await deliveryOf(database.db, id)).attempts).toBe(1), quick)
    expect(await restOf(merchantId)).toBe(0)
  })

  function set(merchantId: string, url: string): Promise<string> {
    const webhookRules = () => ({ allowHttp: true, allowPrivate: true, ownUrls: [] })
    const parts = { db: database.db, sealer, webhookRules }
    return setWebhook(parts, { accountId: newId(), merchantId }, { url, secret: secretText })
  }
})
