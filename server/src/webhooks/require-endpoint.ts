import { fail } from '../core/errors.ts'
import { findWebhookEndpoint } from '../merchants/webhook-store.ts'
import type { Queryable } from '../platform/db/pool.ts'

/**
 * Whether what is sent by hand has somewhere to go.
 * @throws Problem not-found without a webhook, webhook-disabled where it is switched off
 */
export async function requireEndpoint(on: Queryable, merchantId: string): Promise<void> {
  const endpoint = await findWebhookEndpoint(on, merchantId)
  if (endpoint === undefined) {
    throw fail('not-found', 'No webhook is set: POST /weebhook/{merchantID} sets one.')
  }
  if (endpoint.disabledAt === undefined) return
  throw fail('webhook-disabled', 'The webhook is switched off: POST /weebhook/{merchantID} sets it again.')
}
