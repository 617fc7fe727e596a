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
 * Writes back what became of claimed deliveries: where every attempt succeeded, in one statement and one commit, after one
 * that clears endpoints which had failed. What fails counts against its endpoint, which is disabled when that
 * has lasted or it answered 410: in the same transaction, with an event for the merchant's feed.
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

/** Receivers have events that the database may lose. It held each of them when its delivery was claimed. */
function noteDelivered({ facts }: Db, results: readonly DeliveryResult[]): void {
  for (const { state, claimed } of results) {
    if (state !== 'delivered') continue
    facts?.note(eventFacts, { id: claimed.eventId, merchantId: claimed.merchantId, content: 'delivered' })
  }
}

/**
 * What a receiver refused for good is still to be sent where the merchant has set another endpoint meanwhile: it is the
 * one before that is gone.
 */
async function keepForSuccessors(
  tx: Tx,
  results: readonly DeliveryResult[],
): Promise<readonly DeliveryResult[]> {
  const gone = results.filter(({ isGone }) => isGone).map(({ claimed }) => claimed.merchantId)
  if (gone.length === 0) return results
  // An endpoint that is gone itself has been disabled by now, and is not among them.
  const successors = await loadEndpoints(tx, gone)
  return results.map((result) => {
    const { isGone, claimed, attempt } = result
    if (!isGone || !successors.has(claimed.merchantId)) return result
    const isLast = attempt !== undefined && attempt.number >= limits.deliveryAttempts
    return { ...result, state: isLast ? 'exhausted' : 'pending' }
  })
}

/** How each endpoint answered. Whether a success is news of one that was failing, its row alone knows by now. */
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
