/** Tests limits that several processes share through a real Redis. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Log } from '../../src/core/log.ts'
import {
  commandTimeoutMs,
  openRateLimiters,
  type RateLimiters,
} from '../../src/platform/http/limits/rate-limiter.ts'
import { requestLimiterOf } from '../../src/platform/http/limits/request-limit.ts'
import { httpRoutes } from '../../src/platform/http/routes.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { useMadeServers } from '../support/made-server.ts'
import { isRedisInstalled, redisMissing, startRedis, type TestRedis } from '../support/redis.ts'

const page = '/problems/not-found'

/** Stops the clock that measures pauses, and returns a function that advances it. */
function moveClock(): (ms: number) => void {
  let nowMs = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  return (ms) => {
    nowMs += ms
  }
}

describe('limits with REDIS_URL', () => {
  const startServer = useMadeServers()
  const opened: RateLimiters[] = []
  let warnings: string[]
  let log: Log

  beforeEach(({ skip }) => {
    skip(!isRedisInstalled, redisMissing)
    warnings = []
    log = { info: () => {}, warn: (_fields, message) => warnings.push(message), error: () => {} }
    return async () => {
      await Promise.all(opened.splice(0).map((limiters) => limiters.close()))
    }
  })

  async function open(redis: TestRedis): Promise<RateLimiters> {
    const limiters = await openRateLimiters({ redisUrl: redis.url, log })
    opened.push(limiters)
    return limiters
  }

  it('G21 hold across processes', async () => {
    const redis = await startRedis()
    const servers = await Promise.all(
      [1, 2].map(async () => {
        const requestLimiter = (await open(redis)).limiter({ name: 'request', limit: 6, windowS: 60 })
        return startServer({ routes: httpRoutes(), requestLimiter })
      }),
    )
    const statuses: number[] = []
    for (let call = 0; call < 8; call++) {
      const answer = await servers[call % 2]?.call('GET', page)
      statuses.push(answer?.status ?? 0)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    expect(warnings).toEqual([])
  })

  it('count simultaneous requests exactly', async () => {
    const redis = await startRedis()
    const limiters = [await open(redis), await open(redis)].map((some) =>
      some.limiter({ name: 't', limit: 50, windowS: 60 }),
    )
    const taken = await Promise.all(Array.from({ length: 200 }, (_, index) => limiters[index % 2]?.take('a')))
    expect(taken.filter((one) => one?.allowed)).toHaveLength(50)
    await limiters[0]?.giveBack('a', 200)
    expect(await limiters[1]?.take('a', 0)).toMatchObject({ remaining: 50 })
  })

  it('G21 are counted by each process while Redis is unavailable, which is logged once, and shared again afterwards', async () => {
    const redis = await startRedis()
    const [one, other] = [await open(redis), await open(redis)].map((some) =>
      some.limiter({ name: 't', limit: 2, windowS: 60 }),
    )
    expect(await one?.take('a', 2)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await other?.take('a')).toMatchObject({ allowed: false })
    await redis.kill()
    const own = []
    for (let call = 0; call < 3; call++) own.push((await one?.take('b'))?.allowed)
    expect(own).toEqual([true, true, false])
    // The process retries Redis after each pause.
    const passTime = moveClock()
    for (let tries = 0; tries < 5; tries++) {
      passTime(60_000)
      await one?.take('d', 0)
    }
    expect(warnings.filter((text) => text.includes('does not answer'))).toHaveLength(1)
    await redis.restart()
    await vi.waitFor(
      async () => {
        passTime(60_000)
        await one?.take('c', 0)
        expect(warnings.filter((text) => text.includes('answers again'))).toHaveLength(1)
      },
      { timeout: 20_000, interval: 20 },
    )
    // The other process may find its connection closed at its first call. It then pauses, too.
    let tries = 0
    await vi.waitFor(
      async () => {
        passTime(60_000)
        const key = `e${tries++}`
        await one?.take(key, 2)
        expect(await other?.take(key, 0)).toMatchObject({ remaining: 0 })
      },
      { timeout: 20_000, interval: 20 },
    )
  })

  it('delay no request for long, and fail none, if Redis hangs', async () => {
    const redis = await startRedis()
    const { call } = await startServer({
      routes: httpRoutes(),
      requestLimiter: requestLimiterOf(await open(redis), 100),
    })
    await call('GET', page)
    const before = await redis.countScripts()
    // The clock is stopped, so the pause before the next attempt to reach Redis does not end.
    moveClock()
    const held = holdTimers((ms) => ms === commandTimeoutMs)
    redis.pause()
    const answers = []
    for (let request = 0; request < 5; request++) answers.push(await call('GET', page))
    redis.resume()
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(held, 'requests that waited').toHaveLength(1)
    expect(await redis.countScripts()).toBe(before + 1)
    expect(warnings).toHaveLength(1)
  })

  it('let the service start without Redis', async () => {
    const redis = await startRedis()
    await redis.kill()
    const limiter = (await open(redis)).limiter({ name: 't', limit: 1, windowS: 60 })
    expect(await limiter.take('a')).toMatchObject({ allowed: true })
    expect(await limiter.take('a')).toMatchObject({ allowed: false })
    expect(warnings).toHaveLength(1)
  })
})
