/**
 * One delivery in stages, each its own type, so that an unsigned or unrecorded one cannot be expressed:
 * claimed -> prepared -> sent -> recorded. Claiming and recording are done for many at once by the dispatcher.
 */
import type { KeyObject } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { Clock } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { UnsealError } from '../core/seal.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { TargetRefusedError } from './guarded-agent.ts'
import { type Answered, AttemptTimeout, type Prepared, post } from './post.ts'
import { askedRestMs, nextStep } from './schedule.ts'
import { signatureHeaders } from './sign.ts'
import type { KeyOf } from './signing-keys.ts'

/** Where a merchant wants to be told, as it stands when an attempt is made. */
export interface Endpoint {
  readonly merchantId: string
  readonly url: string
  readonly sealedSecret: Buffer
  /** Of the secret before, while that is still valid. Its end is no new version: `token` stays the same. */
  readonly formerSealedSecret: Buffer | null
  readonly token: string
}

export interface DeliverParts {
  /** Connects only where it is allowed to: `openGuardedAgent`. */
  readonly agent: Dispatcher
  readonly clock: Clock
  readonly log: Log
  readonly serviceName: string
  readonly keyOf: KeyOf
  /** From 0 up to 1; spreads retries. */
  random(): number
  readonly totalMs?: number
  /** Returns the incarnation of the database, or undefined until this process has read it. */
  readonly incarnation?: (() => number | undefined) | undefined
}

/** How it went: a status with what came along, or no complete answer. */
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

/** What is written back about a claimed delivery. Without an attempt it is only given back or cancelled. */
export interface DeliveryResult {
  readonly claimed: ClaimedDelivery
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled'
  /** Until the next attempt, where the state is pending. */
  readonly delayMs: number
  readonly attempt?: Attempt
  /** Whom the attempt was made to. */
  readonly endpoint?: Endpoint
  /** It answered that it is gone for good. */
  readonly isGone?: boolean
  /** For how long it asked to be sent nothing at all. */
  readonly restMs?: number
}

/** Makes one attempt. Never rejects: what goes wrong is an attempt that failed, or, where we are at fault, none. */
export async function deliver(
  parts: DeliverParts,
  claimed: ClaimedDelivery,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const startedAt = parts.clock.now()
  const startedMs = performance.now()
  const answer = await attempt(parts, claimed, endpoint, signal)
  if ('fault' in answer) return postponed(parts, claimed, answer.fault)
  if (signal.aborted && 'error' in answer) return givenBack(claimed)
  const tookMs = Math.round(performance.now() - startedMs)
  const at = { now: parts.clock.now(), random: parts.random() }
  return resultOf({ claimed, endpoint, startedAt, tookMs, answer }, at)
}

/** A delivery whose attempt we broke off ourselves, or never made: it is due as it was. */
function givenBack(claimed: ClaimedDelivery): DeliveryResult {
  return { claimed, state: 'pending', delayMs: 0 }
}

/** Only an operator can put the key right, who is told; until then it costs the merchant no attempt. */
const sealFaultRestMs = 60_000

function postponed({ log }: DeliverParts, claimed: ClaimedDelivery, fault: UnsealError): DeliveryResult {
  const { merchantId, deliveryId } = claimed
  log.error({ merchantId, deliveryId, err: fault }, 'webhook not sent: its secret cannot be opened')
  return { claimed, state: 'pending', delayMs: sealFaultRestMs }
}

/** A delivery to a merchant who has no endpoint, or had it disabled. */
export function cancelled(claimed: ClaimedDelivery): DeliveryResult {
  return { claimed, state: 'cancelled', delayMs: 0 }
}

async function attempt(
  parts: DeliverParts,
  claimed: ClaimedDelivery,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Answer | { readonly fault: UnsealError }> {
  try {
    const { agent, totalMs = limits.deliveryTotalMs } = parts
    return await post({ agent, totalMs, stop: signal }, prepare(parts, claimed, endpoint))
  } catch (error) {
    if (error instanceof UnsealError) return { fault: error }
    return { error: reasonOf(error) }
  }
}

/**
 * Fixes and signs the bytes. A former secret that cannot be opened signs nothing: the current one is enough.
 * @throws UnsealError when the secret is not this merchant's, or the key another.
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
      'a former webhook secret cannot be opened: the current one signs alone',
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

/** What the merchant may read of a failure: a code, never an address or a message from inside. */
function reasonOf(error: unknown): string {
  if (error instanceof TargetRefusedError) return `refused: ${error.message}`
  if (error instanceof AttemptTimeout) return 'timeout'
  if (!(error instanceof Error)) return 'failed'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
