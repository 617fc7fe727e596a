import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { RateLimiter, RateLimiters } from '../http/rate-limiter.ts'

/** Counts traces by merchant, whoever asks for it. */
export function traceLimiterOf(limiters: RateLimiters): RateLimiter {
  return limiters.limiter({ name: 'trace', limit: limits.tracesPerMinute, windowS: 60 })
}

/**
 * Counts a trace: one costs the node a whole block, whatever the hash, so that nobody may ask for ever.
 * @throws Problem too-many-requests
 */
export async function countTrace(limiter: RateLimiter, merchantId: string): Promise<void> {
  const { allowed, limit, resetS } = await limiter.take(merchantId)
  if (allowed) return
  const detail = `At most ${limit} traces a minute of one merchant: wait ${resetS} s.`
  throw fail('too-many-requests', detail, { retryAfterS: resetS })
}
