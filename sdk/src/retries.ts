/** Decides whether and when a call is retried. */
import type { CofferError } from './coffer-error.ts'

export interface RetryRules {
  /** Maximum number of attempts after the first one. */
  readonly retriesMax: number
  readonly delayMs: number
  readonly delayMsMax: number
  /** If Retry-After exceeds this number of seconds, the call is not retried. */
  readonly retryAfterSMax: number
}

export const retryRules: RetryRules = {
  retriesMax: 3,
  delayMs: 250,
  delayMsMax: 8_000,
  retryAfterSMax: 60,
}

const passing = new Set([502, 503, 504])

/**
 * Returns the milliseconds until the next attempt; undefined if there is none. A call that may have taken
 * effect is retried only if a repetition has no further effect (`isRepeatable`).
 */
export function nextTryMs(
  rules: RetryRules,
  failure: Pick<CofferError, 'status' | 'code' | 'retryAfterS'>,
  { tried, isRepeatable, random }: { tried: number; isRepeatable: boolean; random: () => number },
): number | undefined {
  const { status, code, retryAfterS } = failure
  // A server sends 429 before it processes the request, so any request with this response may be retried.
  const isPassing =
    isRepeatable && (status === 0 || passing.has(status) || code === 'idempotency-in-progress')
  // A query that was too slow would be too slow again, and would load the database without a result.
  if (code === 'query-too-slow') return undefined
  if (tried > rules.retriesMax || !(status === 429 || isPassing)) return undefined
  if (retryAfterS !== undefined && retryAfterS > rules.retryAfterSMax) return undefined
  const longest = Math.min(rules.delayMsMax, rules.delayMs * 2 ** (tried - 1))
  // Half of the delay is random, so that clients that failed at the same time do not retry at the same time.
  return Math.max((retryAfterS ?? 0) * 1000, longest / 2) + (random() * longest) / 2
}
