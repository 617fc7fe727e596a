import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { useDatabase } from '../support/database.ts'
import { type Answer, type MerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { type DispatchingOptions, deliveryOf, merchantAt, startDispatching, tell } from './dispatching.ts'

const database = useDatabase()

async function merchantServer(...answers: readonly Answer[]): Promise<MerchantServer> {
  const server = await startMerchantServer(...answers)
  onTestFinished(() => server.close())
  return server
}

/** How one event's first attempt went, and how long it rests until the next, in seconds of the database's clock. */
async function firstAttempt(url: string, options: DispatchingOptions = {}) {
  const [id] = await tell(database.db, await merchantAt(database.db, url))
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

/** The rest as it was given; some of it has passed by the time it is read, of a long one also while tests before ran. */
function expectRest(restS: number, givenS: number): void {
  expect(restS).toBeLessThanOrEqual(givenS)
  expect(restS).toBeGreaterThan(givenS - Math.max(1.9, givenS / 50))
}

describe('F01 an attempt that fails', () => {
  const reset: Answer = (response) => response.socket?.resetAndDestroy()

  it.each([
    ['500', status(500), { status: 500, error: null }],
    ['404', status(404), { status: 404, error: null }],
    ['502', status(502), { status: 502, error: null }],
    ['a reset', reset, { status: null, error: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) }],
  ])('is tried again by the schedule after %s, up to a fifth sooner or later', async (_, answer, tried) => {
    const server = await merchantServer(answer)
    for (const [random, restS] of [
      [0, 4],
      [0.999_999, 6],
    ] as const) {
      const attempt = await firstAttempt(server.url, { parts: { random: () => random } })
      expect(attempt).toMatchObject(tried)
      expectRest(attempt.restS, restS)
    }
  })

  it('is one that finds nobody listening', async () => {
    const gone = await startMerchantServer()
    await gone.close()
    expect(await firstAttempt(gone.url)).toMatchObject({ status: null, error: 'ECONNREFUSED' })
  })
})

it('F02 a handshake that does not end is broken off at the limit for connecting', async () => {
  const server = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  // undici looks twice a second; without its limit the one for the whole attempt would end it, under another name.
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
    const server = await merchantServer(status(code, { 'retry-after': retryAfter }))
    expectRest((await firstAttempt(server.url)).restS, restS)
  })

  it('counts from the database’s clock, however wrong the process’s own is', async () => {
    const server = await merchantServer(status(503, { 'retry-after': '3600' }))
    expectRest((await firstAttempt(server.url, { parts: { clock: dayAhead } })).restS, 3_600)
  })
})
