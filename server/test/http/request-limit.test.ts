/** Tests the limit of requests per second, as clients see it. */
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { openRateLimiters } from '../../src/platform/http/limits/rate-limiter.ts'
import { requestLimiterOf } from '../../src/platform/http/limits/request-limit.ts'
import { route } from '../../src/platform/http/route.ts'
import { httpRoutes } from '../../src/platform/http/routes.ts'
import { merchantIds } from '../support/made-people.ts'
import { useMadeServers } from '../support/made-server.ts'

const startServer = useMadeServers()
const page = '/problems/not-found'
const things = `/merchants/${merchantIds.shop}/things`

const replies = { 200: Type.Object({ address: Type.String() }) }
const routes = [
  ...httpRoutes(),
  route({
    method: 'GET',
    path: '/merchants/:merchantID/things',
    auth: 'any',
    summary: 'Tells who asks',
    replies,
    handle: async ({ address }) => ({ status: 200, body: { address } }),
  }),
  route({
    method: 'GET',
    path: '/public/:thingID',
    auth: 'open',
    crossOrigin: true,
    summary: 'For browsers',
    replies,
    handle: async ({ address }) => ({ status: 200, body: { address } }),
  }),
]

/** Starts a server with a window that is longer than any test. */
async function start(limit: number, over: { trustedProxies?: { hops: number } } = {}) {
  const limiters = await openRateLimiters({ log: silentLog })
  const requestLimiter = limiters.limiter({ name: 'request', limit, windowS: 60 })
  return startServer({ routes, requestLimiter, ...over })
}

const forwardedFor = (...addresses: string[]) => ({
  headers: { 'x-forwarded-for': addresses.join(', ') },
})

describe('requests beyond the limit', () => {
  it('G21 get 429 with Retry-After, and the header fields count down until then', async () => {
    const { call } = await start(2)
    const answers = [await call('GET', page), await call('GET', page), await call('GET', page)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0'])
    for (const { headers } of answers) {
      expect(headers.get('ratelimit-limit')).toBe('2')
      expect(headers.get('ratelimit-policy')).toBe('2;w=60')
      expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(30)
      expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60)
    }
    const [, , refused] = answers
    expect(refused?.headers.get('retry-after')).toBe(refused?.headers.get('ratelimit-reset'))
    expect(refused?.body).toMatchObject({ status: 429, code: 'too-many-requests' })
  })

  it('G21 are those beyond twice the setting in two seconds, and are allowed again afterwards', async () => {
    const requestLimiter = requestLimiterOf(await openRateLimiters({ log: silentLog }), 1)
    const { call } = await startServer({ routes, requestLimiter })
    expect((await call('GET', page)).headers.get('ratelimit-policy')).toBe('2;w=2')
    await expect.poll(async () => (await call('GET', page)).status, { interval: 1 }).toBe(429)
    await expect.poll(async () => (await call('GET', page)).status, { timeout: 5_000 }).toBe(200)
  })

  it('G21 are counted for each credential separately', async () => {
    const { call } = await start(2)
    const statusOf = async (credential: { token?: string; key?: string }) =>
      (await call('GET', things, credential)).status
    for (const credential of [{ token: 'alice' }, { token: 'bob' }, { key: 'shop' }]) {
      const statuses = [await statusOf(credential), await statusOf(credential), await statusOf(credential)]
      expect(statuses).toEqual([200, 200, 429])
    }
  })

  it('G21 without a credential or with a bad one are counted for the client’s address', async () => {
    const { call } = await start(2)
    expect((await call('GET', page)).status).toBe(200)
    expect((await call('GET', things, { token: 'nobody' })).status).toBe(401)
    expect((await call('GET', things, { key: 'nobody' })).status).toBe(429)
    expect((await call('GET', things)).status).toBe(429)
    expect((await call('GET', things, { token: 'alice' })).status).toBe(200)
  })

  it('with a key that is not allowed from that address do not count for its merchant', async () => {
    const { call } = await start(2)
    const foreign = `/merchants/${merchantIds.stall}/things`
    const statuses = [
      (await call('GET', foreign, { key: 'shop' })).status,
      (await call('GET', foreign, { key: 'shop' })).status,
      (await call('GET', foreign, { key: 'shop' })).status,
      (await call('GET', things, { key: 'shop' })).status,
    ]
    expect(statuses).toEqual([403, 403, 429, 200])
  })

  it('include requests to unknown paths', async () => {
    const { call } = await start(2)
    const statuses = [await call('GET', '/a'), await call('PUT', page), await call('GET', '/b')]
    expect(statuses.map(({ status }) => status)).toEqual([404, 405, 429])
  })

  it('never stop a health check from being answered', async () => {
    const { call } = await start(2)
    for (let request = 0; request < 5; request++) {
      const { status, headers } = await call('GET', '/healthz')
      expect({ status, limit: headers.get('ratelimit-limit') }).toEqual({ status: 200, limit: null })
    }
  })

  it('can be read by a page of another origin on the public route', async () => {
    const { call } = await start(2)
    const path = `/public/${merchantIds.shop}`
    const answers = [await call('GET', path), await call('GET', path), await call('GET', path)]
    expect(answers[2]?.status).toBe(429)
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining(['ratelimit-limit', 'ratelimit-remaining', 'retry-after', 'x-request-id']),
      )
    }
  })

  it('do not exist if the limit is 0', async () => {
    const requestLimiter = requestLimiterOf(await openRateLimiters({ log: silentLog }), 0)
    const { call } = await startServer({ routes, requestLimiter })
    for (let request = 0; request < 5; request++) expect((await call('GET', page)).status).toBe(200)
    expect((await call('GET', page)).headers.get('ratelimit-limit')).toBe(null)
  })
})

describe('the client’s address', () => {
  it('G12 is not taken from X-Forwarded-For if no proxy is trusted', async () => {
    const { call } = await start(2)
    const statuses = []
    for (const spoofed of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
      statuses.push((await call('GET', page, forwardedFor(spoofed))).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  it('G12 is what the trusted proxy appended, not what the client sent', async () => {
    const { call } = await start(2, { trustedProxies: { hops: 1 } })
    const statuses = []
    for (const spoofed of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
      statuses.push((await call('GET', page, forwardedFor(spoofed, '198.51.100.7'))).status)
    }
    expect(statuses).toEqual([200, 200, 429])
    expect((await call('GET', page, forwardedFor('198.51.100.8'))).status).toBe(200)
  })

  it('is the same for the handler', async () => {
    const { call } = await start(100, { trustedProxies: { hops: 1 } })
    const headers = { 'x-forwarded-for': '1.1.1.1, ::ffff:198.51.100.7' }
    expect((await call('GET', things, { token: 'alice', headers })).body.address).toBe('198.51.100.7')
  })

  it('counts a whole /64 of IPv6 as one client', async () => {
    const { call } = await start(2, { trustedProxies: { hops: 1 } })
    const statuses = []
    for (const address of ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:0:3::', '2001:db8:0:1::1']) {
      statuses.push((await call('GET', page, forwardedFor(address))).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200])
  })

  it.each(['', ',', 'unknown', '999.1.1.1', '"', '\u00e9', 'a'.repeat(4_000), '::1%eth0', "' or 1=1"])(
    'stays valid with X-Forwarded-For: %j',
    async (text) => {
      const { call } = await start(200, { trustedProxies: { hops: 3 } })
      expect((await call('GET', page, forwardedFor(text, text))).status).toBe(200)
    },
  )
})
