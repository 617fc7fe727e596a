/**
 * Runs requests with an Idempotency-Key. The first request under a key runs, and later requests get its
 * stored answer. No database connection and no lock is held while a request runs. If a process dies during a
 * request, its claim on the key expires by itself.
 */
import { type Clock, monotonicMs } from '../../../core/clock.ts'
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
  /** Encrypts and decrypts stored answers. */
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  /** How long a request waits for another request that runs under the same key. */
  readonly waitMs?: number
}

export interface Run {
  /** Does the work of the request; `effectId` is the id of what the request creates. */
  handle(effectId: string): Promise<Answer>
  /** Converts a rejection into an answer. */
  refuse(problem: Problem): Answer
  /** Aborts when the server stops, which ends the wait for another request under the same key. */
  readonly signal: AbortSignal
}

/** @throws Problem idempotency-conflict, idempotency-in-progress, or whatever `handle` throws */
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
    // A rejection becomes the stored answer only if this is the first run under the key. If this is a later
    // run, an earlier run may still be in progress.
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

/**
 * Writes to the table of keys. Logs an error instead of throwing it: the work of the request is done, so a
 * database that is now unreachable must not change the answer.
 */
async function leave({ log }: IdempotencyParts, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    log.warn(
      { err: error },
      'the answer for an Idempotency-Key was not stored; a repeated request will run again',
    )
  })
}

const firstPollMs = 20
const pollMsMax = 250

/**
 * Claims the key, or waits until another request under the key has an answer. The wait ends after `waitMs`.
 * @throws Problem idempotency-conflict, idempotency-in-progress
 */
async function claimOrAnswer(
  { db, sealer, clock, waitMs = limits.idempotencyWaitMs }: IdempotencyParts,
  request: KeyedRequest,
  own: Claim,
  signal: AbortSignal,
): Promise<Claim | Answer> {
  const giveUpAt = monotonicMs() + waitMs
  for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMsMax, pollMs * 2)) {
    const claim = await claimKey(db, request, own)
    if (claim !== undefined) return claim
    const state = await findKey(db, sealer, request)
    if (state === undefined) continue
    if (!state.fingerprint.equals(request.fingerprint)) {
      throw fail('idempotency-conflict', 'This Idempotency-Key was used for another request: use a new one.')
    }
    if (state.answer !== undefined) return state.answer
    if (signal.aborted || monotonicMs() >= giveUpAt) {
      const retryAfterS = Math.max(1, state.claimedS)
      throw fail('idempotency-in-progress', 'Send the request again later with the same key.', {
        retryAfterS,
      })
    }
    await clock.sleep(pollMs, signal)
  }
}

const batchRows = 1_000

/** Creates the worker that deletes keys after their retention period. */
export function forgetOldKeys({ db }: { readonly db: Queryable }): Worker {
  return { name: 'forget-idempotency-keys', idleMs: 60_000, runBatch: () => deleteOldKeys(db, batchRows) }
}
