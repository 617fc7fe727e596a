/** The retry schedule of deliveries: whether and when another attempt follows. The functions are pure. */
import { limits } from '../core/limits.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Delays after the first failure, the second, and so on. The 10 attempts take about 75 hours. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

const jitter = 0.2

/** The parts of an attempt's outcome that the schedule needs. */
export interface AttemptOutcome {
  /** The HTTP status; undefined if there was no complete answer. */
  readonly status?: number | undefined
  readonly retryAfter?: string | undefined
}

export type NextStep =
  | { readonly type: 'delivered' }
  | { readonly type: 'retry'; readonly delayMs: number }
  | { readonly type: 'exhausted' }
  /** The receiver answered 410 (Gone), so it wants no more events. */
  | { readonly type: 'disable' }

export interface ScheduleParts {
  /** Number of the attempt that has just ended, from 1. */
  readonly attempt: number
  readonly now: Date
  /** A random number in [0, 1), by which the delay is varied. */
  readonly random: number
}

/**
 * Returns the next step after an attempt. Only a 2xx status is a success. A redirect is a failure, because
 * redirects are not followed.
 */
export function nextStep(outcome: AttemptOutcome, { attempt, now, random }: ScheduleParts): NextStep {
  const { status = 0 } = outcome
  if (status >= 200 && status <= 299) return { type: 'delivered' }
  if (status === 410) return { type: 'disable' }
  const delayMs = retryDelaysMs[attempt - 1]
  if (delayMs === undefined) return { type: 'exhausted' }
  const scheduledMs = Math.round(delayMs * (1 - jitter + 2 * jitter * random))
  return { type: 'retry', delayMs: Math.max(scheduledMs, askedRestMs(outcome, now)) }
}

/**
 * Returns the pause that a receiver asks for, in milliseconds, or 0 if it asks for none. Retry-After counts
 * only with the status 429 or 503 (RFC 6585, 4; RFC 9110, 15.6.4).
 */
export function askedRestMs({ status, retryAfter }: AttemptOutcome, now: Date): number {
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return 0
  const askedMs = retryAfterMs(retryAfter, now) ?? 0
  return Math.min(Math.max(askedMs, 0), limits.deliveryRetryAfterMs)
}

const datePattern = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Parses Retry-After (RFC 9110, 10.2.3) to milliseconds from now. Returns undefined for an invalid text. */
export function retryAfterMs(text: string, now: Date): number | undefined {
  const value = text.trim()
  if (/^\d+$/.test(value)) return Number(value) * second
  if (!datePattern.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at - now.getTime()
}
