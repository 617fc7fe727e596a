/**
 * Makes one delivery in four stages: it is claimed (assigned to this dispatcher), prepared, sent and
 * recorded. Each stage has its own type, so the compiler rejects code that skips a stage. The dispatcher
 * claims and records many deliveries at once.
 */
import type { KeyObject } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { type Clock, monotonicMs } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { UnsealError } from '../core/seal.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { TargetRefusedError } from './guarded-agent.ts'
import { type Answered, AttemptTimeout, type Prepared, post } from './post.ts'
import { askedRestMs, nextStep } from './schedule.ts'
import { signatureHeaders } from './sign.ts'
import type { KeyOf } from './signing-keys.ts'

/** A merchant's endpoint, as read from the database when deliveries are claimed. */
export interface Endpoint {
  readonly merchantId: string
  readonly url: string
  readonly sealedSecret: Buffer
  /** The previous secret while that secret is still valid, else null. */
  readonly formerSealedSecret: Buffer | null
  /**
   * Identifies the version of the webhook. It changes when the webhook is set again, but not when the
   * previous secret expires.
   */
  readonly token: string
}

export interface DeliverParts {
  /** The HTTP agent. It connects only to allowed targets; see `openGuardedAgent`. */
  readonly agent: Dispatcher
  readonly clock: Clock
  readonly log: Log
  readonly serviceName: string
  readonly keyOf: KeyOf
  /** Returns a random number in [0, 1), by which the delay before a retry is varied. */
  random(): number
  readonly totalMs?: number
  /** Returns the incarnation (era of the database's history), or undefined until this process has read it. */
  readonly incarnation?: (() => number | undefined) | undefined
}

/**
 * The outcome of an attempt: the endpoint's complete answer, or the reason why there was no complete answer.
 */
export type Answer = Answered | { readonly error: string }

export interface Sent {
  readonly claimed: ClaimedDelivery
  readonly endpoint: Endpoint
  readonly startedAt: Date
  readonly tookMs: number
  readonly answer: Answer
}

export interface Attempt {
  readonly number: number
  readonly startedAt: Date
  readonly tookMs: number
  readonly status: number | undefined
  readonly error: string | undefined
  readonly excerpt: string | undefined
}

/**
 * The result to store for a claimed delivery. If no attempt was made, storing the result only releases or
 * cancels the delivery.
 */
export interface DeliveryResult {
  readonly claimed: ClaimedDelivery
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled'
  /** Delay before the next attempt; used only if `state` is `pending`. */
  readonly delayMs: number
  readonly attempt?: Attempt
  /** The endpoint to which the attempt was made. */
  readonly endpoint?: Endpoint
  /** True if the endpoint answered 410 (Gone). */
  readonly isGone?: boolean
  /** Pause that the endpoint asked for with Retry-After, in milliseconds. */
  readonly restMs?: number
}

/**
 * Makes one attempt to deliver an event. The promise never rejects: an error gives the result of a failed
 * attempt. If the error is caused by this server, the attempt is not counted.
 */
export async function deliver(
  parts: DeliverParts,
  claimed: ClaimedDelivery,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const startedAt = parts.clock.now()
  const startedMs = monotonicMs()
  const answer = await attempt(parts, claimed, endpoint, signal)
  if ('unsealError' in answer) return postponed(parts, claimed, answer.unsealError)
  if (signal.aborted && 'error' in answer) return givenBack(claimed)
  const tookMs = Math.round(monotonicMs() - startedMs)
  const at = { now: parts.clock.now(), random: parts.random() }
  return resultOf({ claimed, endpoint, startedAt, tookMs, answer }, at)
}

/**
 * Returns the result for a delivery if its attempt was aborted by us or never made. The delivery is released
 * and due at once, and no attempt is counted.
 */
function givenBack(claimed: ClaimedDelivery): DeliveryResult {
  return { claimed, state: 'pending', delayMs: 0 }
}

/**
 * Delay before the next attempt if a webhook's secret cannot be decrypted, in milliseconds. The log reports
 * the error, and an operator must correct the encryption key. Until then, no attempt counts against the
 * merchant.
 */
const unsealErrorRestMs = 60_000

function postponed(
  { log }: DeliverParts,
  claimed: ClaimedDelivery,
  unsealError: UnsealError,
): DeliveryResult {
  const { merchantId, deliveryId } = claimed
  log.error({ merchantId, deliveryId, err: unsealError }, 'webhook not sent: its secret cannot be decrypted')
  return { claimed, state: 'pending', delayMs: unsealErrorRestMs }
}

/** Returns the result for a delivery to a merchant without an enabled endpoint. The delivery is cancelled. */
export function cancelled(claimed: ClaimedDelivery): DeliveryResult {
  return { claimed, state: 'cancelled', delayMs: 0 }
}

async function attempt(
  parts: DeliverParts,
  claimed: ClaimedDelivery,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Answer | { readonly unsealError: UnsealError }> {
  try {
    const { agent, totalMs = limits.deliveryTotalMs } = parts
    return await post({ agent, totalMs, stop: signal }, prepare(parts, claimed, endpoint))
  } catch (error) {
    if (error instanceof UnsealError) return { unsealError: error }
    return { error: reasonOf(error) }
  }
}

/**
 * Builds and signs the request. If the previous secret cannot be decrypted, the request is signed with the
 * current secret only.
 * @throws UnsealError if the current secret was encrypted for another merchant or under another key.
 */
function prepare(parts: DeliverParts, claimed: ClaimedDelivery, endpoint: Endpoint): Prepared {
  const body = Buffer.from(claimed.body, 'utf8')
  const { sealedSecret, merchantId } = endpoint
  const signatures = signatureHeaders({
    key: parts.keyOf(sealedSecret, merchantId),
    formerKey: formerKeyOf(parts, endpoint),
    serviceName: parts.serviceName,
    eventId: claimed.eventId,
    token: endpoint.token,
    body,
    sentAt: parts.clock.now(),
  })
  const incarnation = parts.incarnation?.()
  const headers = {
    ...signatures,
    ...(incarnation !== undefined && { [`X-${parts.serviceName}-Incarnation`]: String(incarnation) }),
    'content-type': 'application/json',
    'user-agent': parts.serviceName,
  }
  return { url: endpoint.url, headers, body }
}

function formerKeyOf({ keyOf, log }: DeliverParts, endpoint: Endpoint): KeyObject | undefined {
  const { formerSealedSecret, merchantId } = endpoint
  if (formerSealedSecret === null) return undefined
  try {
    return keyOf(formerSealedSecret, merchantId)
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    log.warn(
      { merchantId, err: error },
      'the previous webhook secret cannot be decrypted: only the current one signs',
    )
    return undefined
  }
}

function resultOf(sent: Sent, at: { now: Date; random: number }): DeliveryResult {
  const { claimed, endpoint, answer, startedAt, tookMs } = sent
  const number = claimed.attempts + 1
  const isAnswered = 'status' in answer
  const result = {
    claimed,
    endpoint,
    restMs: isAnswered ? askedRestMs(answer, at.now) : 0,
    attempt: {
      number,
      startedAt,
      tookMs,
      status: isAnswered ? answer.status : undefined,
      error: isAnswered ? undefined : answer.error,
      excerpt: isAnswered ? answer.excerpt : undefined,
    },
  }
  const step = nextStep(isAnswered ? answer : {}, { attempt: number, ...at })
  switch (step.type) {
    case 'delivered':
    case 'exhausted':
      return { ...result, state: step.type, delayMs: 0 }
    case 'retry':
      return { ...result, state: 'pending', delayMs: step.delayMs }
    case 'disable':
      return { ...result, state: 'cancelled', delayMs: 0, isGone: true }
  }
}

/**
 * Returns the text of an error for the merchant. The text contains neither an address nor an internal
 * message.
 */
function reasonOf(error: unknown): string {
  if (error instanceof TargetRefusedError) return `refused: ${error.message}`
  if (error instanceof AttemptTimeout) return 'timeout'
  if (!(error instanceof Error)) return 'failed'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
