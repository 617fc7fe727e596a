import { limits } from '../core/limits.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Rests after the first failure, the second, and so on: 10 attempts over about 75 hours. */
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

/** How an attempt went, as far as the schedule cares. */
export interface AttemptOutcome {
  /** Absent when no complete answer came. */
  readonly status?: number | undefined
  readonly retryAfter?: string | undefined
}

export type NextStep =
  | { readonly type: 'delivered' }
  | { readonly type: 'retry'; readonly delayMs: number }
  | { readonly type: 'exhausted' }
  /** 410: the receiver wants no more of anything. */
  | { readonly type: 'disable' }

export interface ScheduleParts {
  /** The attempt that has just ended, from 1. */
  readonly attempt: number
  readonly now: Date
  /** From 0 up to 1. */
  readonly random: number
}

/** What follows an attempt. Only 2xx is success: a redirect is not followed, so it is a failure. */
export function nextStep(outcome: AttemptOutcome, { attempt, now, random }: ScheduleParts): NextStep {
  const { status = 0 } = outcome
  if (status >= 200 && status <= 299) return { type: 'delivered' }
  if (status === 410) return { type: 'disable' }
  const delayMs = retryDelaysMs[attempt - 1]
  if (delayMs === undefined) return { type: 'exhausted' }
  const scheduledMs = Math.round(delayMs * (1 - jitter + 2 * jitter * random))
  return { type: 'retry', delayMs: Math.max(scheduledMs, askedRestMs(outcome, now)) }
}

/** For how long a receiver asks to be sent nothing: with 429 and 503 alone (RFC 6585, 4; RFC 9110, 15.6.4), else 0. */
export function askedRestMs({ status, retryAfter }: AttemptOutcome, now: Date): number {
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return 0
  const askedMs = retryAfterMs(retryAfter, now) ?? 0
  return Math.min(Math.max(askedMs, 0), limits.deliveryRetryAfterMs)
}

const datePattern = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Reads Retry-After, seconds or a date (RFC 9110, 10.2.3); undefined for anything else. */
export function retryAfterMs(text: string, now: Date): number | undefined {
  const value = text.trim()
  if (/^\d+$/.test(value)) return Number(value) * second
  if (!datePattern.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at - now.getTime()
}
