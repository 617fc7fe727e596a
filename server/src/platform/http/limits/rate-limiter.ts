/**
 * Counts how often something was done in a window of time: in this process, or in Redis for all processes together.
 * A Redis that is away makes no request fail: each process then counts for itself until it is back.
 */
import { Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { fail } from '../../../core/errors.ts'
import type { Log } from '../../../core/log.ts'
import type { Secret } from '../../../core/settings.ts'

export interface Taken {
  readonly allowed: boolean
  readonly limit: number
  readonly windowS: number
  readonly remaining: number
  /** Seconds until the window ends and all is allowed again; at least 1. */
  readonly resetS: number
}

export interface RateLimiter {
  /**
   * Counts `cost` (1 when absent, 0 only looks) for `key` and tells whether that is still allowed. The window begins
   * with the first one counted. Never throws.
   */
  take(key: string, cost?: number): Promise<Taken>
  /** Uncounts what turned out not to count, such as a login that succeeded. Never throws. */
  giveBack(key: string, cost?: number): Promise<void>
}

/** At most `limit` in `windowS` seconds. `name` keeps the counters of one purpose apart from another's. */
export interface RateWindow {
  readonly name: string
  readonly limit: number
  readonly windowS: number
}

export interface RateLimiters {
  limiter(window: RateWindow): RateLimiter
  close(): Promise<void>
}

export interface RateLimitersOptions {
  /** Absent: counters of this process alone. */
  readonly redisUrl?: Secret | undefined
  readonly log: Log
}

/**
 * Counts one for `key`, where that costs more than a request should.
 * @param things what is counted, for the refusal: "traces of one merchant"
 * @throws Problem too-many-requests
 */
export async function takeOrRefuse(limiter: RateLimiter, key: string, things: string): Promise<void> {
  const { allowed, limit, resetS } = await limiter.take(key)
  if (allowed) return
  throw fail('too-many-requests', `At most ${limit} ${things} in a minute: wait ${resetS} s.`, {
    retryAfterS: resetS,
  })
}

const connectTimeoutMs = 2_000
/** Longer than any Redis nearby takes; every request waits for it. */
const commandTimeoutMs = 250
/** How long Redis is left alone after it failed. */
const restMs = 1_000

/** Waits a moment for Redis, where there is one, but starts without it. */
export async function openRateLimiters({ redisUrl, log }: RateLimitersOptions): Promise<RateLimiters> {
  const shared = redisUrl && (await openShared(redisUrl, log))
  return {
    limiter: (window) => {
      const options = { keyPrefix: `coffer:${window.name}`, points: window.limit, duration: window.windowS }
      const own = new RateLimiterMemory(options)
      if (shared === undefined) return limiterOf(window, (work) => work(own))
      const inRedis = new RateLimiterRedis({ ...options, storeClient: shared.redis })
      return limiterOf(window, (work) =>
        shared.sight.run(
          () => work(inRedis),
          () => work(own),
        ),
      )
    },
    close: async () => shared?.redis.disconnect(),
  }
}

type Counter = Pick<RateLimiterAbstract, 'consume' | 'reward'>
type Count = (work: (counter: Counter) => Promise<RateLimiterRes>) => Promise<RateLimiterRes>

function limiterOf({ limit, windowS }: RateWindow, count: Count): RateLimiter {
  return {
    take: async (key, cost = 1) => {
      const { consumedPoints, msBeforeNext } = await count((counter) => consume(counter, key, cost))
      return {
        allowed: consumedPoints <= limit,
        limit,
        windowS,
        remaining: Math.max(0, limit - consumedPoints),
        resetS: Math.min(windowS, Math.max(1, Math.ceil(msBeforeNext / 1000))),
      }
    },
    giveBack: async (key, cost = 1) => void (await count((counter) => counter.reward(key, cost))),
  }
}

/** The library rejects with the result itself where the limit is passed, and with an error where it could not count. */
async function consume(counter: Counter, key: string, cost: number): Promise<RateLimiterRes> {
  try {
    return await counter.consume(key, cost)
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

/** Whether Redis answers; says so once each time that changes. */
class Sight {
  readonly #log: Log
  #isAway = false
  #restUntil = 0

  constructor(log: Log) {
    this.#log = log
  }

  async run<T>(shared: () => Promise<T>, own: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#restUntil) return own()
    try {
      const result = await shared()
      if (performance.now() >= this.#restUntil) this.back()
      return result
    } catch (error) {
      this.away(error)
      return own()
    }
  }

  away(error: unknown): void {
    this.#restUntil = performance.now() + restMs
    if (this.#isAway) return
    this.#isAway = true
    const reason = error instanceof Error ? error.message : String(error)
    this.#log.warn({ reason }, 'Redis does not answer: rate limits are counted by each process for itself')
  }

  back(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#log.warn({}, 'Redis answers again: rate limits are shared')
  }
}

async function openShared(redisUrl: Secret, log: Log): Promise<{ redis: Redis; sight: Sight }> {
  const sight = new Sight(log)
  const redis = new Redis(redisUrl.reveal(), {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(100 * tries, connectTimeoutMs),
  })
  // Told by whoever counts and fails; without a listener the event would end the process.
  redis.on('error', () => {})
  await redis.connect().catch((error: unknown) => sight.away(error))
  return { redis, sight }
}
