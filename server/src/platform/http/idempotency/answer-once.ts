/**
 * Runs a request that came under an Idempotency-Key: the first one runs, later ones get its answer. No connection and
 * no lock is held while it runs; what is left of a process that died is a claim that ends by itself.
 */
import type { Clock } from '../../../core/clock.ts'
import type { Worker } from '../../../core/concurrency/work-loop.ts'
import { fail, Problem } from '../../../core/errors.ts'
import { newId } from '../../../core/ids.ts'
import { limits } from '../../../core/limits.ts'
import type { Log } from '../../../core/log.ts'
import type { Sealer } from '../../../core/seal.ts'
import type { Queryable } from '../../db/pool.ts'
import { type Answer, isKept, type KeyedRequest } from './idempotency.ts'
import {
  type Claim,
  claimKey,
  deleteOldKeys,
  endClaim,
  findKey,
  forgetKey,
  keepAnswer,
} from './idempotency-store.ts'

export interface IdempotencyParts {
  readonly db: Queryable
  /** Seals stored answers. */
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  /** How long a request waits for another one that runs under its key. */
  readonly waitMs?: number
}

export interface Run {
  /** Does the work, with the id of what it creates. */
  handle(effectId: string): Promise<Answer>
  /** How a refusal is answered. */
  refuse(problem: Problem): Answer
  /** Ends waiting for another run. */
  readonly signal: AbortSignal
}

/** @throws Problem idempotency-conflict, idempotency-in-progress, or what `handle` throws */
export async function answerOnce(parts: IdempotencyParts, request: KeyedRequest, run: Run): Promise<Answer> {
  const own: Claim = { claimId: newId(), effectId: newId() }
  const claimed = await claimOrAnswer(parts, request, own, run.signal)
  if ('status' in claimed)
    return { ...claimed, headers: { ...claimed.headers, 'idempotent-replayed': 'true' } }
  let answer: Answer
  try {
    answer = await run.handle(claimed.effectId)
  } catch (error) {
    const isFirst = claimed.effectId === own.effectId
    // A run before this one may still be at it: only where there was none is a refusal the last word.
    if (!(error instanceof Problem) || !isFirst || !isKept(error)) {
      const nothingHappened = isFirst && error instanceof Problem && error.status < 500
      await leave(parts, () => (nothingHappened ? forgetKey : endClaim)(parts.db, request, claimed))
      throw error
    }
    answer = run.refuse(error)
  }
  await leave(parts, () => keepAnswer(parts.db, parts.sealer, request, claimed, answer))
  return answer
}

/** What happened, happened: a database that goes away now must not turn its answer into another one. */
async function leave({ log }: IdempotencyParts, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    log.warn({ err: error }, 'the outcome under an Idempotency-Key was not written; a repeat will run again')
  })
}

const firstPollMs = 20
const pollMsMax = 250

/** Waits for a run under way, so long as a client that lost its answer would. */
async function claimOrAnswer(
  { db, sealer, clock, waitMs = limits.idempotencyWaitMs }: IdempotencyParts,
  request: KeyedRequest,
  own: Claim,
  signal: AbortSignal,
): Promise<Claim | Answer> {
  const giveUpAt = performance.now() + waitMs
  for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMsMax, pollMs * 2)) {
    const claim = await claimKey(db, request, own)
    if (claim !== undefined) return claim
    const state = await findKey(db, sealer, request)
    if (state === undefined) continue
    if (!state.fingerprint.equals(request.fingerprint)) {
      throw fail('idempotency-conflict', 'This Idempotency-Key belongs to another request: use a new one.')
    }
    if (state.answer !== undefined) return state.answer
    if (signal.aborted || performance.now() >= giveUpAt) {
      const retryAfterS = Math.max(1, state.claimedS)
      throw fail('idempotency-in-progress', 'Send it again later with the same key.', { retryAfterS })
    }
    await clock.sleep(pollMs, signal)
  }
}

const batchRows = 1_000

/** Forgets keys after their time. */
export function forgetOldKeys({ db }: { readonly db: Queryable }): Worker {
  return { name: 'forget-idempotency-keys', idleMs: 60_000, takeAndDo: () => deleteOldKeys(db, batchRows) }
}
