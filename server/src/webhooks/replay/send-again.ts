import type { Clock } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, violatedConstraint } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import { wakeDispatchers } from '../../platform/outbox/store.ts'
import { testEvent } from '../events.ts'
import { insertRedelivery } from '../log-store.ts'
import { requireEndpoint } from '../require-endpoint.ts'

/**
 * A merchant's request to send an event now. `id` is the id of the row that the request creates, so repeating
 * the request has no further effect.
 */
export interface SendOrder {
  readonly id: string
  readonly merchantId: string
}

/**
 * Sends the event of a delivery once more, with the same id and bytes. The earlier delivery is not changed.
 * @throws Problem `not-found` if the merchant has no such delivery or no webhook, or `webhook-disabled`.
 */
export async function redeliver(db: Db, order: SendOrder & { readonly deliveryId: string }): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await insertRedelivery(tx, order))) throw fail('not-found', 'No such delivery.')
    await requireEndpoint(tx, order.merchantId)
    await wakeDispatchers(tx)
  })
}

/**
 * Appends an event `webhook.test`, which is delivered and numbered like any other event.
 * @throws Problem `not-found` if the merchant has no webhook, or `webhook-disabled`.
 */
export async function sendTestEvent(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { id, merchantId }: SendOrder,
): Promise<void> {
  await requireEndpoint(db, merchantId)
  const event = testEvent({ merchantId, occurredAt: clock.now() }, id)
  try {
    await inTransaction(db, (tx) => appendEvents(tx, [event]))
  } catch (error) {
    // This error means that an earlier run of the same request has appended the event.
    if (violatedConstraint(error) !== 'event_subject_unique') throw error
  }
}
