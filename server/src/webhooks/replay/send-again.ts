import type { Clock } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, violatedConstraint } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import { wakeDispatchers } from '../../platform/outbox/store.ts'
import { testEvent } from '../events.ts'
import { insertRedelivery } from '../log-store.ts'
import { requireEndpoint } from '../require-endpoint.ts'

/** A request to send something now. `id` names what it makes: asked again, it makes nothing more. */
export interface SendOrder {
  readonly id: string
  readonly merchantId: string
}

/**
 * Sends an event once more, the same id and bytes, beside whatever became of its earlier delivery.
 * @throws Problem not-found without such a delivery or without a webhook, webhook-disabled
 */
export async function redeliver(db: Db, order: SendOrder & { readonly deliveryId: string }): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await insertRedelivery(tx, order))) throw fail('not-found', 'No such delivery.')
    await requireEndpoint(tx, order.merchantId)
    await wakeDispatchers(tx)
  })
}

/**
 * Appends an event `webhook.test`, delivered and numbered like any other.
 * @throws Problem not-found without a webhook, webhook-disabled
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
    // Asked again under the same id: it is on its way.
    if (violatedConstraint(error) !== 'event_subject_unique') throw error
  }
}
