import { createClient } from '../client.ts'
import { CofferError } from '../coffer-error.ts'
import { clientOptions, findMerchant } from './connect.ts'
import type { TriggerOrder } from './read-order.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Has the server tell a webhook.test event. @throws CofferError, UsageError */
export async function trigger(order: TriggerOrder, terminal: Terminal): Promise<void> {
  if (order.token === undefined)
    throw new UsageError(
      'This needs a Bearer token: POST /auth/login or /auth/tokens gives one; give it as COFFER_TOKEN.',
    )
  const coffer = createClient(clientOptions(order))
  const merchantID = await findMerchant(coffer, order)
  try {
    const { testID } = await coffer.testWebhook({ merchantID })
    terminal.print(`The server tells a webhook.test event with testID ${testID}.`)
  } catch (error) {
    if (!(error instanceof CofferError && error.status === 404)) throw error
    throw new UsageError(
      'The merchant has no webhook, and only then is a test event told: POST /weebhook/{merchantID} sets one. Without a server, coffer-dev send sends a made-up event.',
    )
  }
}
