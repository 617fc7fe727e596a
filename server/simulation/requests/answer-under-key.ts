/** Serves requests that create something, with or without an Idempotency-Key. */

import { Problem } from '../../src/core/errors.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { answerOnce } from '../../src/platform/http/idempotency/answer-once.ts'
import { fingerprintOf, type KeyedRequest, scopeOf } from '../../src/platform/http/idempotency/idempotency.ts'
import type { Answered } from '../world/answered.ts'
import { type Called, caller, request, requestOf } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import type { ApiParts } from '../world/processes.ts'
import type { Creation } from './creation.ts'
import type { GivenAnswer, KeyedRequests, SentRequest } from './keyed-requests.ts'

/** Sends a request that creates something. In seeds with keys, the request has a new key. */
export function sendCreation(world: Installation, name: string, creation: Creation): Promise<Called> {
  const { keyed } = world
  if (keyed !== undefined) return sendUnderKey(world, name, keyed.add(creation))
  return requestOf(world, creation, name, async (parts, answered) => {
    const id = await creation.create(parts, newId())
    await creation.receive(parts, id, answered)
  })
}

/** Sends a request under its key, for the first time or again. */
export function sendUnderKey(world: Installation, name: string, keyed: SentRequest): Promise<Called> {
  return request(world, name, async (parts, answered) => {
    const answer = await answerUnderKey(world, keyed, parts, answered)
    if (answer?.status !== created) return
    await keyed.creation.receive(parts, String(JSON.parse(answer.body).id), answered)
  })
}

/**
 * Sends each request again that has no answer, after the claims of killed processes have expired.
 * @param endWork completes all requests that were sent
 */
export async function repeatUnanswered(world: Installation, endWork: () => Promise<void>): Promise<void> {
  const unanswered = openRequests(world.keyed)
  if (unanswered.length === 0) return
  await world.pass(limits.idempotencyClaimMs + 1)
  for (const one of unanswered) await sendUnderKey(world, 'repeat at the end', one)
  await endWork()
}

/** Returns the requests that have no answer and whose key is not in use for another request. */
export function openRequests(keyed: KeyedRequests | undefined): readonly SentRequest[] {
  const isOpen = ({ answers, lastProblem }: SentRequest) =>
    answers.length === 0 && lastProblem !== 'idempotency-conflict'
  return keyed?.sent.filter(isOpen) ?? []
}

/** The status of an answer to a request that created something. */
export const created = 201

/** Returns the answer that the caller received; undefined if the request was rejected without one. */
async function answerUnderKey(
  world: Installation,
  keyed: SentRequest,
  parts: ApiParts,
  answered: Answered,
): Promise<GivenAnswer | undefined> {
  keyed.lastProblem = undefined
  try {
    const { status, body } = await answerOnce(parts.idempotency, servedRequest(keyed), {
      handle: async (id) => {
        keyed.ids.add(id)
        const answer = { id: await keyed.creation.create(parts, id) }
        keyed.isServed = true
        return { status: created, headers: {}, body: JSON.stringify(answer) }
      },
      refuse: (problem) => ({
        status: problem.status,
        headers: {},
        body: JSON.stringify({ code: problem.code }),
      }),
      signal: new AbortController().signal,
    })
    await answered()
    keyed.answers.push({ status, body })
    return { status, body }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const isAnswered = keyed.answers.length > 0
    await answered()
    keyed.lastProblem = error.code
    if (error.code === 'idempotency-conflict' && (isAnswered || isOnly(world, keyed))) keyed.isDenied = true
    return undefined
  }
}

/** Returns whether the merchant used the key for this request alone. */
function isOnly({ keyed: all }: Installation, keyed: SentRequest): boolean {
  const { creation, key } = keyed
  const isOther = (one: SentRequest) =>
    one !== keyed && one.key === key && one.creation.merchantId === creation.merchantId
  return all !== undefined && !all.sent.some(isOther)
}

/** Returns the request as the route of the API passes it on. */
function servedRequest({ creation, key }: SentRequest): KeyedRequest {
  const { merchantId, path, body } = creation
  const params = { merchantID: merchantId }
  const admission = { caller, merchant: { id: merchantId, role: undefined }, isProven: true }
  return {
    key,
    scopeId: scopeOf(admission, params),
    route: `POST ${path}`,
    fingerprint: fingerprintOf({ method: 'POST', path, params, query: '', body }),
  }
}
