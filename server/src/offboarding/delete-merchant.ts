import { fail } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { hasBalance } from '../ledger/balance.ts'
import { forfeit } from '../ledger/forfeit.ts'
import { deleteApiKey } from '../merchants/key-store.ts'
import { lockMerchant, markDeleted } from '../merchants/store.ts'
import { deleteWebhookEndpoint } from '../merchants/webhook-store.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import type { Caller } from '../platform/http/auth.ts'
import { cancelDeliveries } from '../platform/outbox/store.ts'

export interface Deletion {
  readonly merchantId: string
  readonly caller: Caller
  /** Whether to reject the deletion while the merchant has money in any of its ledger accounts. */
  readonly ifEmpty: boolean
}

/**
 * Marks a merchant as deleted, so that no route of the merchant finds it. Deletes its API key and webhook,
 * and cancels its pending deliveries. Books its money to a separate account, from which `restoreMerchant` can
 * book the money back. Journals and addresses stay, and the addresses are still watched. This deletion and
 * the booking of a deposit both lock the merchant's row (`lockDeleted`). No deposit can therefore be credited
 * to the merchant after its money was moved.
 * @throws Problem not-found, merchant-has-funds
 */
export async function deleteMerchant(db: Db, { merchantId, caller, ifEmpty }: Deletion): Promise<void> {
  await inTransaction(db, async (tx) => {
    if ((await lockMerchant(tx, merchantId)) === undefined) throw fail('not-found', 'No such merchant.')
    if (ifEmpty && (await hasBalance(tx, merchantId))) {
      throw fail(
        'merchant-has-funds',
        'The merchant still holds money. Withdraw its balances first, or delete it without ifEmpty.',
      )
    }
    await markDeleted(tx, merchantId)
    await endAccess(tx, merchantId)
    // The time of the deletion would not do as a subject: a clock that is set back shows the same time twice.
    await forfeit(tx, { ownerId: merchantId, subject: `deleted:${merchantId}:${newId()}` })
    const by = caller.type === 'account' ? { accountId: caller.accountId } : { details: { by: 'API key' } }
    await recordAudit(tx, { ...by, merchantId, action: 'merchant.deleted', subject: merchantId })
    await cancelDeliveries(tx, merchantId)
  })
}

/** Deletes the merchant's API key and webhook permanently, even if the merchant is restored later. */
export async function endAccess(tx: Tx, merchantId: string): Promise<void> {
  await deleteApiKey(tx, merchantId)
  await deleteWebhookEndpoint(tx, merchantId)
}
