/** Checks that each Idempotency-Key has one answer, and creates at most one order or invoice. */
import { type ProblemCode, problems } from '../../src/core/errors.ts'
import { groupBy } from '../../src/core/group-by.ts'
import { created } from './answer-under-key.ts'
import type { SentRequest } from './keyed-requests.ts'

/**
 * Returns one sentence for each key whose answers contradict each other, or contradict what the API shows.
 * @param exists whether the API shows an order or an invoice with this id
 * @param mayBeDeleted whether the API may have deleted the invoice with this id
 */
export function findWrongAnswers(
  sent: readonly SentRequest[],
  exists: (id: string) => boolean,
  mayBeDeleted: (id: string) => boolean,
): readonly string[] {
  const ofKeys = groupBy(sent, ({ creation, key }) => `${creation.merchantId} ${key}`)
  const unanswered = [...ofKeys.values()].filter((own) =>
    own.every(({ answers, lastProblem }) => answers.length === 0 && lastProblem === 'idempotency-conflict'),
  )
  const misused = [...ofKeys.values()].filter(
    (own) => own.filter(({ answers }) => answers.length > 0).length > 1,
  )
  return [
    ...misused.map(([first]) => `the key ${first?.key} has answers to two requests with different bodies`),
    ...unanswered.map(([first]) => `the key ${first?.key} is in use, and no request with it has an answer`),
    ...sent.flatMap((request) => wrongOf(request, exists, mayBeDeleted)),
  ]
}

/**
 * Returns whether a request may end with a rejection that is not stored under its key. Such a request must not have
 * created anything. It may not end with a rejection that asks the caller to try again, except if a price is missing.
 */
function isFinal(code: ProblemCode | undefined): boolean {
  return code !== undefined && (!problems[code].retry || code === 'rate-unavailable')
}

function wrongOf(
  { creation, key, ids, answers, lastProblem, isDenied }: SentRequest,
  exists: (id: string) => boolean,
  mayBeDeleted: (id: string) => boolean,
): readonly string[] {
  const what = `the request ${key} for an ${creation.kind}`
  const [answer] = answers
  const different = new Set(answers.map(({ status, body }) => `${status} ${body}`))
  const made = [...ids].filter(exists)
  const id = answer?.status === created ? String(JSON.parse(answer.body).id) : undefined
  const isRejected = answer === undefined ? isFinal(lastProblem) : id === undefined
  const isEndless = answer === undefined && !isRejected
  const isLost = id !== undefined && !exists(id) && !mayBeDeleted(id)
  const isForeign = id !== undefined && !ids.has(id)
  const isMadeInVain = isRejected && made.length > 0
  return [
    ...(different.size > 1
      ? [`${what} has ${different.size} different answers: ${[...different].join(', ')}`]
      : []),
    ...(made.length > 1 ? [`${what} created ${made.length}`] : []),
    ...(isLost ? [`${what} was answered with one that does not exist`] : []),
    ...(isForeign ? [`${what} was answered with one that it did not create`] : []),
    ...(isMadeInVain ? [`${what} was rejected, and created one nevertheless`] : []),
    ...(isDenied ? [`${what} was rejected because its key was used for another request`] : []),
    ...(isEndless ? [`${what} was repeated until the end and never answered`] : []),
  ]
}
