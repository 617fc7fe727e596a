import { fail } from '../core/errors.ts'
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
  /** Whether to refuse while any of the merchant's accounts holds money. */
  readonly ifEmpty: boolean
}

/**
 * Takes a merchant out of every list and route: its key is dead, its webhook gone with all that was still to be sent,
 * its money on a recoverable account of its own. Journals and addresses stay, still watched. Whoever books a deposit
 * holds the merchant's row too (`lockDeleted`), so that none is credited to a merchant after its money was moved.
 * @throws Problem not-found, merchant-has-funds
 */
export async function deleteMerchant(db: Db, { merchantId, caller, ifEmpty }: Deletion): Promise<void> {
  await inTransaction(db, async (tx) => {
    if ((await lockMerchant(tx, merchantId)) === undefined) throw fail('not-found', 'No such merchant.')
    if (ifEmpty && (await hasBalance(tx, merchantId))) {
      throw fail('merchant-has-funds', 'Withdraw its balances first, or delete it without ifEmpty.')
    }
    const deletedAt = await markDeleted(tx, merchantId)
    await endAccess(tx, merchantId)
    await forfeit(tx, { ownerId: merchantId, subject: `deleted:${merchantId}:${deletedAt.toISOString()}` })
    const by = caller.type === 'account' ? { accountId: caller.accountId } : { details: { by: 'API key' } }
    await recordAudit(tx, { ...by, merchantId, action: 'merchant.deleted', subject: merchantId })
    await cancelDeliveries(tx, merchantId)
  })
}

/** Ends the merchant's key and webhook for good. */
export async function endAccess(tx: Tx, merchantId: string): Promise<void> {
  await deleteApiKey(tx, merchantId)
  await deleteWebhookEndpoint(tx, merchantId)
}
