/**
 * The limit of requests a second, told in the fields of draft-ietf-httpapi-ratelimit-headers-06: RateLimit-Limit,
 * RateLimit-Remaining and RateLimit-Reset of the window now open, and RateLimit-Policy for the window's length.
 */
import { fail } from '../../../core/errors.ts'
import { canonicalAddressRange } from '../../../core/network-address.ts'
import type { Caller } from '../auth.ts'
import type { RateLimiter, RateLimiters } from './rate-limiter.ts'

/** Twice as many may come at once, so the window is twice as long. */
const burstWindowS = 2

/** The fields that a page of another origin may read from an answer. */
export const rateLimitFields = [
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
] as const

/** The limiter of requests; undefined when `perSecond` is 0, which is no limit. */
export function requestLimiterOf(limiters: RateLimiters, perSecond: number): RateLimiter | undefined {
  if (perSecond === 0) return undefined
  return limiters.limiter({ name: 'request', limit: perSecond * burstWindowS, windowS: burstWindowS })
}

export function callerKey(caller: Caller): string {
  return caller.type === 'key' ? `merchant:${caller.merchantId}` : `account:${caller.accountId}`
}

/** One customer of an IPv6 provider has a whole /64 (RFC 6177), so that is one client. */
export function addressKey(address: string): string {
  return `address:${address.includes(':') ? (canonicalAddressRange(`${address}/64`) ?? address) : address}`
}

/** Counts a request and tells its headers. @throws Problem too-many-requests */
export async function countRequest(
  limiter: RateLimiter | undefined,
  key: string,
  tell: (headers: Readonly<Record<string, string>>) => void,
): Promise<void> {
  if (limiter === undefined) return
  const { allowed, limit, windowS, remaining, resetS } = await limiter.take(key)
  tell({
    'ratelimit-limit': String(limit),
    'ratelimit-policy': `${limit};w=${windowS}`,
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  })
  if (allowed) return
  const detail = `At most ${limit} requests in ${windowS} s: wait ${resetS} s, then send fewer at once.`
  throw fail('too-many-requests', detail, { retryAfterS: resetS })
}
