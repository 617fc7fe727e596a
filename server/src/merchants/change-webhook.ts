import { randomBytes } from 'node:crypto'
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
  webhookUrlFault,
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

export interface WebhookWish {
  readonly url: string
  readonly secret: string
  /** Whether a former secret ends at once. */
  readonly revokeFormerSecret?: boolean | undefined
}

/**
 * Creates or replaces the merchant's webhook. Where the secret is another and the host the same, the former one signs
 * beside it for a while, so that a receiver can change over when it suits it.
 * @returns the token that names this version of it
 * @throws Problem invalid-request
 */
export async function setWebhook(
  { db, sealer, webhookRules }: WebhookParts,
  { accountId, merchantId }: WebhookOwner,
  { url, secret, revokeFormerSecret = false }: WebhookWish,
): Promise<string> {
  const fault = webhookUrlFault(url, webhookRules())
  if (fault !== undefined) throw failField('/url', fault)
  const token = `wh_${randomBytes(16).toString('hex')}`
  const sealedSecret = sealer.seal(secret, webhookSecretContext(merchantId))
  await inTransaction(db, async (tx) => {
    // Of two at the same time, the second finds what the first has set.
    if ((await lockMerchant(tx, merchantId)) === undefined) throw fail('not-found', 'No such merchant.')
    const before = openTarget(sealer, merchantId, await findSealedTarget(tx, merchantId))
    const after = { url, secret: new Secret(secret) }
    const former: FormerSecretChange =
      before === undefined ? 'ends' : formerSecretChange(before, after, revokeFormerSecret)
    await replaceWebhookEndpoint(tx, { merchantId, url, sealedSecret, token, former })
    // Paths and queries of webhook URLs often hold credentials, so that only the origin is kept.
    const details = { origin: new URL(url).origin }
    await recordAudit(tx, { accountId, merchantId, action: 'webhook.set', subject: token, details })
  })
  return token
}

/** Undefined also for a secret that nobody can open any more: it can sign nothing. */
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

/** Removes the merchant's webhook, if it has one. */
export async function removeWebhook(db: Db, { accountId, merchantId }: WebhookOwner): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteWebhookEndpoint(tx, merchantId))) return
    await recordAudit(tx, { accountId, merchantId, action: 'webhook.deleted', subject: merchantId })
  })
}
