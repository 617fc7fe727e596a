import { fail } from '../core/errors.ts'
import { findWebhookEndpoint } from '../merchants/webhook-store.ts'
import type { Queryable } from '../platform/db/pool.ts'

/**
 * Checks that the merchant has an enabled webhook, before an event is sent on request.
 * @throws Problem `not-found` if no webhook is set, or `webhook-disabled` if the webhook is disabled.
 */
export async function requireEndpoint(on: Queryable, merchantId: string): Promise<void> {
  const endpoint = await findWebhookEndpoint(on, merchantId)
  if (endpoint === undefined) {
    throw fail('not-found', 'No webhook is set: set one with POST /weebhook/{merchantID}.')
  }
  if (endpoint.disabledAt === undefined) return
  throw fail('webhook-disabled', 'The webhook is disabled: set it again with POST /weebhook/{merchantID}.')
}
