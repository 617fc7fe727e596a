import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { appendEvents } from '../outbox/append.ts'
import type { DeliveryResult } from './deliver.ts'
import { type EndpointAnswers, saveAnswers } from './endpoint-store.ts'
import { disabledEvent } from './events.ts'
import { saveResults } from './store.ts'

/**
 * Writes back what became of claimed deliveries: one statement and one commit for all of them, and nothing else where
 * endpoints that work took what they were sent. What fails counts against its endpoint, which is disabled when that has
 * lasted or it answered 410: in the same transaction, with an event for the merchant's feed.
 */
export async function recordResults(
  { db }: { readonly db: Db },
  results: readonly DeliveryResult[],
): Promise<void> {
  const answers = answersOf(results)
  if (answers.length === 0) return saveResults(db, results)
  await inTransaction(db, async (tx) => {
    await saveResults(tx, results)
    const disabled = await saveAnswers(tx, answers)
    await appendEvents(tx, disabled.map(disabledEvent))
  })
}

/** What is news of endpoints: failures, and successes of those that were failing. */
export function answersOf(results: readonly DeliveryResult[]): readonly EndpointAnswers[] {
  const tried = new Map<string, EndpointAnswers & { readonly isFailing: boolean }>()
  for (const { state, endpoint, isGone = false } of results) {
    if (endpoint === undefined) continue
    const { merchantId, token, isFailing } = endpoint
    const key = `${merchantId}:${token}`
    const before = tried.get(key)
    const outcome = state === 'delivered' ? 'working' : isGone ? 'gone' : 'failing'
    tried.set(key, {
      merchantId,
      token,
      isFailing,
      outcome: stronger(before?.outcome ?? 'failing', outcome),
      failures: (before?.failures ?? 0) + (outcome === 'working' ? 0 : 1),
    })
  }
  return [...tried.values()].filter(({ outcome, isFailing }) => outcome !== 'working' || isFailing)
}

type Outcome = EndpointAnswers['outcome']
const byStrength: readonly Outcome[] = ['failing', 'working', 'gone']

function stronger(one: Outcome, other: Outcome): Outcome {
  return byStrength.indexOf(one) > byStrength.indexOf(other) ? one : other
}
