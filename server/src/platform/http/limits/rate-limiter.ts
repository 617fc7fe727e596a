/**
 * Counts events in a time window. With Redis, all processes share the counts. Without Redis, or while Redis
 * is unreachable, each process counts by itself, so that no request fails because of Redis.
 */

import { Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { monotonicMs } from '../../../core/clock.ts'
import { fail } from '../../../core/errors.ts'
import type { Log } from '../../../core/log.ts'
import type { Secret } from '../../../core/settings.ts'

export interface Taken {
  readonly allowed: boolean
  readonly limit: number
  readonly windowS: number
  readonly remaining: number
  /** Seconds until the window ends and the full limit is available again; at least 1. */
  readonly resetS: number
}

export interface RateLimiter {
  /**
   * Adds `cost` to the count of `key`, and returns whether the count is within the limit. A cost of 0 only
   * reads the count. The window begins with the first count. Never throws.
   */
  take(key: string, cost?: number): Promise<Taken>
  /**
   * Subtracts `cost` from the count of `key`, for an event that should not count after all, such as a login
   * that succeeded. Never throws.
   */
  giveBack(key: string, cost?: number): Promise<void>
}

/** A limit: the count may be at most `limit` in `windowS` seconds. Each `name` has counters of its own. */
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
  /** If absent, each process counts by itself. */
  readonly redisUrl?: Secret | undefined
  readonly log: Log
}

/**
 * Counts one operation for `key`, and throws if the limit is exceeded. Used for operations that cost more
 * than an ordinary request.
 * @param things what is counted, as a plural for the error message: "traces of one merchant"
 * @throws Problem too-many-requests
 */
export async function takeOrRefuse(limiter: RateLimiter, key: string, things: string): Promise<void> {
  const { allowed, limit, resetS } = await limiter.take(key)
  if (allowed) return
  throw fail('too-many-requests', `At most ${limit} ${things} are allowed per minute: wait ${resetS} s.`, {
    retryAfterS: resetS,
  })
}

const connectTimeoutMs = 2_000
/**
 * Maximum wait for an answer of Redis. A nearby Redis answers faster. If Redis does not answer, a request
 * waits this long before the process counts by itself.
 */
export const commandTimeoutMs = 250
/** How long Redis is not used after a failure. */
const restMs = 1_000

/**
 * Connects to Redis if there is a URL, and returns an object that creates limiters. Waits at most
 * `connectTimeoutMs` for the connection. If the connection fails, each process counts by itself.
 */
export async function openRateLimiters({ redisUrl, log }: RateLimitersOptions): Promise<RateLimiters> {
  const shared = redisUrl && (await openShared(redisUrl, log))
  return {
    limiter: (window) => {
      const options = { keyPrefix: `coffer:${window.name}`, points: window.limit, duration: window.windowS }
      const own = new RateLimiterMemory(options)
      if (shared === undefined) return limiterOf(window, (work) => work(own))
      const inRedis = new RateLimiterRedis({ ...options, storeClient: shared.redis })
      return limiterOf(window, (work) =>
        shared.connection.run(
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

/**
 * Adds `cost` to the count of `key`, and returns the result even if the limit is exceeded. In that case the
 * library throws the result. Throws an error only if the library could not count.
 */
async function consume(counter: Counter, key: string, cost: number): Promise<RateLimiterRes> {
  try {
    return await counter.consume(key, cost)
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

/** Tracks whether Redis answers, and logs each change once. */
class ConnectionState {
  readonly #log: Log
  #isAway = false
  #restUntil = 0

  constructor(log: Log) {
    this.#log = log
  }

  async run<T>(shared: () => Promise<T>, own: () => Promise<T>): Promise<T> {
    if (monotonicMs() < this.#restUntil) return own()
    try {
      const result = await shared()
      if (monotonicMs() >= this.#restUntil) this.back()
      return result
    } catch (error) {
      this.away(error)
      return own()
    }
  }

  away(error: unknown): void {
    this.#restUntil = monotonicMs() + restMs
    if (this.#isAway) return
    this.#isAway = true
    const reason = error instanceof Error ? error.message : String(error)
    this.#log.warn({ reason }, 'Redis does not answer: each process counts rate limits separately')
  }

  back(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#log.warn({}, 'Redis answers again: rate limits are shared')
  }
}

async function openShared(
  redisUrl: Secret,
  log: Log,
): Promise<{ redis: Redis; connection: ConnectionState }> {
  const connection = new ConnectionState(log)
  const redis = new Redis(redisUrl.reveal(), {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(100 * tries, connectTimeoutMs),
  })
  // The call that fails logs its error. Without a listener, the event would end the process.
  redis.on('error', () => {})
  await redis.connect().catch((error: unknown) => connection.away(error))
  return { redis, connection }
}
