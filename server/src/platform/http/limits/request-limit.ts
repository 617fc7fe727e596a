/**
 * Limits requests per second, and reports the limit in the headers of
 * draft-ietf-httpapi-ratelimit-headers-06. RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset describe
 * the current window. RateLimit-Policy states the limit and the length of a window.
 */
import { fail } from '../../../core/errors.ts'
import { canonicalAddressRange } from '../../../core/network-address.ts'
import type { Caller } from '../auth.ts'
import type { RateLimiter, RateLimiters } from './rate-limiter.ts'

/**
 * The length of the window in seconds. A window of two seconds lets a client send the requests of two seconds
 * in one burst.
 */
const burstWindowS = 2

/** The rate limit headers that a page of another origin may read from an answer. */
export const rateLimitFields = [
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
] as const

/** Returns the limiter of requests; undefined if `perSecond` is 0, which means no limit. */
export function requestLimiterOf(limiters: RateLimiters, perSecond: number): RateLimiter | undefined {
  if (perSecond === 0) return undefined
  return limiters.limiter({ name: 'request', limit: perSecond * burstWindowS, windowS: burstWindowS })
}

export function callerKey(caller: Caller): string {
  return caller.type === 'key' ? `merchant:${caller.merchantId}` : `account:${caller.accountId}`
}

/**
 * Returns the rate limiter's key of a client without a valid credential. An IPv6 /64 counts as one client,
 * because providers assign at least a whole /64 to each customer (RFC 6177).
 */
export function addressKey(address: string): string {
  return `address:${address.includes(':') ? (canonicalAddressRange(`${address}/64`) ?? address) : address}`
}

/** Counts a request and sets the rate limit headers. @throws Problem too-many-requests */
export async function countRequest(
  limiter: RateLimiter | undefined,
  key: string,
  setHeaders: (headers: Readonly<Record<string, string>>) => void,
): Promise<void> {
  if (limiter === undefined) return
  const { allowed, limit, windowS, remaining, resetS } = await limiter.take(key)
  setHeaders({
    'ratelimit-limit': String(limit),
    'ratelimit-policy': `${limit};w=${windowS}`,
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  })
  if (allowed) return
  const detail = `At most ${limit} requests are allowed in ${windowS} s: wait ${resetS} s, then send fewer at once.`
  throw fail('too-many-requests', detail, { retryAfterS: resetS })
}
