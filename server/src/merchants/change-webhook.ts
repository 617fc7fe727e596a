import { randomBytes } from '../core/chance.ts'
import { fail, failField } from '../core/errors.ts'
import { type Sealer, UnsealError } from '../core/seal.ts'
import { Secret } from '../core/settings.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { lockMerchant } from './store.ts'
import {
  type FormerSecretChange,
  formerSecretChange,
  type SignedTarget,
  type WebhookRules,
  webhookSecretContext,
  webhookUrlError,
} from './webhook-endpoint.ts'
import {
  deleteWebhookEndpoint,
  findSealedTarget,
  replaceWebhookEndpoint,
  type SealedTarget,
} from './webhook-store.ts'

export interface WebhookParts {
  readonly db: Db
  readonly sealer: Sealer
  webhookRules(): WebhookRules
}

export interface WebhookOwner {
  readonly accountId: string
  readonly merchantId: string
}

export interface WebhookParams {
  readonly url: string
  readonly secret: string
  /** Whether the previous secret becomes invalid at once. */
  readonly revokeFormerSecret?: boolean | undefined
}

/**
 * Creates or replaces the merchant's webhook. If the secret changes and the host stays the same, deliveries
 * are also signed with the previous secret for `limits.formerSecretHours`. The receiver can change to the new
 * secret during that time.
 * @returns the token that identifies this version of the webhook.
 * @throws Problem `invalid-request` or `not-found`.
 */
export async function setWebhook(
  { db, sealer, webhookRules }: WebhookParts,
  { accountId, merchantId }: WebhookOwner,
  { url, secret, revokeFormerSecret = false }: WebhookParams,
): Promise<string> {
  const error = webhookUrlError(url, webhookRules())
  if (error !== undefined) throw failField('/url', error)
  const token = `wh_${randomBytes(16).toString('hex')}`
  const sealedSecret = sealer.seal(secret, webhookSecretContext(merchantId))
  await inTransaction(db, async (tx) => {
    // The lock makes concurrent changes run one after another, so that each sees the previous result.
    if ((await lockMerchant(tx, merchantId)) === undefined) throw fail('not-found', 'No such merchant.')
    const before = openTarget(sealer, merchantId, await findSealedTarget(tx, merchantId))
    const after = { url, secret: new Secret(secret) }
    const former: FormerSecretChange =
      before === undefined ? 'ends' : formerSecretChange(before, after, revokeFormerSecret)
    await replaceWebhookEndpoint(tx, { merchantId, url, sealedSecret, token, former })
    // Paths and queries of webhook URLs often contain credentials, so only the origin is logged.
    const details = { origin: new URL(url).origin }
    await recordAudit(tx, { accountId, merchantId, action: 'webhook.set', subject: token, details })
  })
  return token
}

/**
 * Returns the stored target. Returns undefined if there is none, or if its secret cannot be decrypted:
 * without the secret, nothing can be signed.
 */
function openTarget(
  sealer: Sealer,
  merchantId: string,
  sealed: SealedTarget | undefined,
): SignedTarget | undefined {
  if (sealed === undefined) return undefined
  try {
    return { url: sealed.url, secret: sealer.open(sealed.sealedSecret, webhookSecretContext(merchantId)) }
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

/** Deletes the merchant's webhook, if it has one. */
export async function removeWebhook(db: Db, { accountId, merchantId }: WebhookOwner): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteWebhookEndpoint(tx, merchantId))) return
    await recordAudit(tx, { accountId, merchantId, action: 'webhook.deleted', subject: merchantId })
  })
}
