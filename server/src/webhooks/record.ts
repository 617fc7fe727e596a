import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import { appendEvents } from '../platform/outbox/append.ts'
import { eventFacts } from '../platform/outbox/event-facts.ts'
import type { DeliveryResult } from './deliver.ts'
import { type EndpointAnswers, saveAnswers } from './endpoint-store.ts'
import { disabledEvent } from './events.ts'
import { loadEndpoints, saveResults } from './store.ts'

/**
 * Stores the results of claimed deliveries. If every endpoint is working, two statements are enough: one
 * marks endpoints that failed before as working, and one stores the results. Otherwise one transaction stores
 * the results and counts failures against their endpoints. An endpoint that has failed for too long or
 * answered 410 is disabled, and an event reports this to the merchant.
 */
export async function recordResults(
  { db }: { readonly db: Db },
  results: readonly DeliveryResult[],
): Promise<void> {
  noteDelivered(db, results)
  const answers = answersOf(results)
  if (answers.every(({ outcome }) => outcome === 'working')) {
    if (answers.length > 0) await saveAnswers(db, answers)
    return saveResults(db, results)
  }
  await inTransaction(db, async (tx) => {
    const disabled = await saveAnswers(tx, answers)
    await saveResults(tx, await keepForSuccessors(tx, results))
    await appendEvents(tx, disabled.map(disabledEvent))
  })
}

/**
 * Remembers in memory which events were delivered, because the database may lose an event after its delivery.
 */
function noteDelivered({ facts }: Db, results: readonly DeliveryResult[]): void {
  for (const { state, claimed } of results) {
    if (state !== 'delivered') continue
    facts?.note(eventFacts, { id: claimed.eventId, merchantId: claimed.merchantId, content: 'delivered' })
  }
}

/**
 * Returns the results, with changes for merchants whose endpoint answered 410 and who have set another
 * endpoint since. Only the previous endpoint is gone, so their deliveries are not cancelled: they stay
 * pending, or are exhausted after the last attempt.
 */
async function keepForSuccessors(
  tx: Tx,
  results: readonly DeliveryResult[],
): Promise<readonly DeliveryResult[]> {
  const gone = results.filter(({ isGone }) => isGone).map(({ claimed }) => claimed.merchantId)
  if (gone.length === 0) return results
  // An endpoint that answered 410 is already disabled here, so `loadEndpoints` does not return it.
  const successors = await loadEndpoints(tx, gone)
  return results.map((result) => {
    const { isGone, claimed, attempt } = result
    if (!isGone || !successors.has(claimed.merchantId)) return result
    const isLast = attempt !== undefined && attempt.number >= limits.deliveryAttempts
    return { ...result, state: isLast ? 'exhausted' : 'pending' }
  })
}

/**
 * Groups the results by endpoint and returns what they tell about each endpoint. `saveAnswers`, and not this
 * function, decides whether a success ends a series of failures, because it reads the endpoint's current row.
 */
export function answersOf(results: readonly DeliveryResult[]): readonly EndpointAnswers[] {
  const tried = new Map<string, EndpointAnswers>()
  for (const { state, endpoint, isGone = false, restMs = 0 } of results) {
    if (endpoint === undefined) continue
    const { merchantId, token } = endpoint
    const key = `${merchantId}:${token}`
    const before = tried.get(key)
    const outcome = state === 'delivered' ? 'working' : isGone ? 'gone' : 'failing'
    tried.set(key, {
      merchantId,
      token,
      outcome: stronger(before?.outcome ?? 'failing', outcome),
      failures: (before?.failures ?? 0) + (outcome === 'working' ? 0 : 1),
      restMs: Math.max(before?.restMs ?? 0, restMs),
    })
  }
  return [...tried.values()]
}

type Outcome = EndpointAnswers['outcome']
const byStrength: readonly Outcome[] = ['failing', 'working', 'gone']

function stronger(one: Outcome, other: Outcome): Outcome {
  return byStrength.indexOf(one) > byStrength.indexOf(other) ? one : other
}
