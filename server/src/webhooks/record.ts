import type { Clock } from '../core/clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { appendEvents } from '../outbox/append.ts'
import type { DeliveryResult, Endpoint } from './deliver.ts'
import { disableEndpoint, saveResults } from './store.ts'

/**
 * Writes back what became of claimed deliveries: one statement and one commit for all of them. An endpoint that
 * answered 410 is disabled in the same transaction, with an event for the merchant's feed.
 */
export async function recordResults(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  results: readonly DeliveryResult[],
): Promise<void> {
  const gone = new Map<string, Endpoint>()
  for (const { disables } of results) if (disables !== undefined) gone.set(disables.merchantId, disables)
  if (gone.size === 0) return saveResults(db, results)
  await inTransaction(db, async (tx) => {
    await saveResults(tx, results)
    const disabled: Endpoint[] = []
    for (const endpoint of gone.values()) if (await disableEndpoint(tx, endpoint)) disabled.push(endpoint)
    const events = disabled.map(({ merchantId, token, url }) => ({
      merchantId,
      type: 'webhook.disabled' as const,
      subject: `${merchantId}:${token}`,
      occurredAt: clock.now(),
      data: { url, reason: 'the endpoint answered 410 Gone' },
    }))
    await appendEvents(tx, events)
  })
}
