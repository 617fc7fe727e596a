/** When a call is tried again, and after how long. */
import type { CofferError } from './coffer-error.ts'

export interface RetryRules {
  /** Tries beyond the first. */
  readonly retriesMax: number
  readonly delayMs: number
  readonly delayMsMax: number
  /** A longer Retry-After than this is not waited for. */
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
 * Milliseconds until the next try; undefined when there is to be none. What may have had its effect is sent again only
 * where that cannot have it twice: `isRepeatable`.
 */
export function nextTryMs(
  rules: RetryRules,
  failure: Pick<CofferError, 'status' | 'code' | 'retryAfterS'>,
  { tried, isRepeatable, random }: { tried: number; isRepeatable: boolean; random: () => number },
): number | undefined {
  const { status, code, retryAfterS } = failure
  // 429 is answered before anything is done, so it may be tried again whatever the request was.
  const isPassing =
    isRepeatable && (status === 0 || passing.has(status) || code === 'idempotency-in-progress')
  // The same query would only load the database again.
  if (code === 'query-too-slow') return undefined
  if (tried > rules.retriesMax || !(status === 429 || isPassing)) return undefined
  if (retryAfterS !== undefined && retryAfterS > rules.retryAfterSMax) return undefined
  const longest = Math.min(rules.delayMsMax, rules.delayMs * 2 ** (tried - 1))
  // Half of it is chance, so that clients that failed together do not come back together.
  return Math.max((retryAfterS ?? 0) * 1000, longest / 2) + (random() * longest) / 2
}
