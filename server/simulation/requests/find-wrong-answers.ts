/** Checks that each Idempotency-Key has one answer, and creates at most one order or invoice. */
import { groupBy } from '../../src/core/group-by.ts'
import type { KeyedRequest } from './keyed-requests.ts'

/**
 * Returns one sentence for each key whose answers contradict each other or what exists.
 * @param exists whether the API shows an order or an invoice with this id
 * @param isDeleted whether the API deleted the invoice with this id
 */
export function findWrongAnswers(
  sent: readonly KeyedRequest[],
  exists: (id: string) => boolean,
  isDeleted: (id: string) => boolean,
): readonly string[] {
  const ofKeys = groupBy(sent, ({ creation, key }) => `${creation.merchantId} ${key}`)
  const misused = [...ofKeys.values()].filter(
    (own) => own.filter(({ answers }) => answers.length > 0).length > 1,
  )
  return [
    ...misused.map(([first]) => `the key ${first?.key} has answers to two requests with different bodies`),
    ...sent.flatMap((request) => wrongOf(request, exists, isDeleted)),
  ]
}

function wrongOf(
  { creation, key, ids, answers, lastProblem, isDenied }: KeyedRequest,
  exists: (id: string) => boolean,
  isDeleted: (id: string) => boolean,
): readonly string[] {
  const what = `the request ${key} for an ${creation.kind}`
  const [answer] = answers
  const different = new Set(answers.map(({ status, body }) => `${status} ${body}`))
  const made = [...ids].filter(exists)
  const id = answer?.status === 201 ? String(JSON.parse(answer.body).id) : undefined
  const isEndless =
    answer === undefined && (lastProblem ?? 'idempotency-in-progress') === 'idempotency-in-progress'
  const isLost = id !== undefined && !exists(id) && !isDeleted(id)
  const isMadeInVain = answer !== undefined && id === undefined && made.length > 0
  return [
    ...(different.size > 1
      ? [`${what} has ${different.size} different answers: ${[...different].join(', ')}`]
      : []),
    ...(made.length > 1 ? [`${what} created ${made.length}`] : []),
    ...(isLost ? [`${what} was answered with one that does not exist`] : []),
    ...(isMadeInVain ? [`${what} was rejected, and created one nevertheless`] : []),
    ...(isDenied ? [`${what} was rejected because its key was used for another request`] : []),
    ...(isEndless ? [`${what} was repeated until the end and never answered`] : []),
  ]
}
