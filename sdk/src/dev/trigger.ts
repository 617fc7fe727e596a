import { createClient } from '../client.ts'
import { CofferError } from '../coffer-error.ts'
import { clientOptions, findMerchant } from './connect.ts'
import type { TriggerOrder } from './read-order.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/**
 * Asks the server to send an event `webhook.test`.
 * @throws CofferError, UsageError
 */
export async function trigger(order: TriggerOrder, terminal: Terminal): Promise<void> {
  if (order.token === undefined)
    throw new UsageError(
      'A Bearer token is required: get one with POST /auth/login or /auth/tokens and set it as COFFER_TOKEN.',
    )
  const coffer = createClient(clientOptions(order))
  const merchantID = await findMerchant(coffer, order)
  try {
    const { testID } = await coffer.testWebhook({ merchantID })
    terminal.print(`The server sends a webhook.test event with testID ${testID}.`)
  } catch (error) {
    if (!(error instanceof CofferError && error.status === 404)) throw error
    throw new UsageError(
      'The merchant has no webhook, which a test event needs: set one with POST /weebhook/{merchantID}. To send a made-up event without a server, use coffer-dev send.',
    )
  }
}
