import { randomBytes } from 'node:crypto'
import { recordAudit } from '../audit/store.ts'
import { failField } from '../core/errors.ts'
import type { Sealer } from '../core/seal.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteWebhookEndpoint, replaceWebhookEndpoint } from './store.ts'
import { type WebhookRules, webhookSecretContext, webhookUrlFault } from './webhook-endpoint.ts'

export interface WebhookParts {
  readonly db: Db
  readonly sealer: Sealer
  webhookRules(): WebhookRules
}

export interface WebhookOwner {
  readonly accountId: string
  readonly merchantId: string
}

/**
 * Creates or replaces the merchant's webhook.
 * @returns the token that names this version of it
 * @throws Problem invalid-request
 */
export async function setWebhook(
  { db, sealer, webhookRules }: WebhookParts,
  { accountId, merchantId }: WebhookOwner,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<string> {
  const fault = webhookUrlFault(url, webhookRules())
  if (fault !== undefined) throw failField('/url', fault)
  const token = `wh_${randomBytes(16).toString('hex')}`
  const sealedSecret = sealer.seal(secret, webhookSecretContext(merchantId))
  await inTransaction(db, async (tx) => {
    await replaceWebhookEndpoint(tx, { merchantId, url, sealedSecret, token })
    // Paths and queries of webhook URLs often hold credentials, so that only the origin is kept.
    const details = { origin: new URL(url).origin }
    await recordAudit(tx, { accountId, merchantId, action: 'webhook.set', subject: token, details })
  })
  return token
}

/** Removes the merchant's webhook, if it has one. */
export async function removeWebhook(db: Db, { accountId, merchantId }: WebhookOwner): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteWebhookEndpoint(tx, merchantId))) return
    await recordAudit(tx, { accountId, merchantId, action: 'webhook.deleted', subject: merchantId })
  })
}
