import { fail } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { limits } from '../core/limits.ts'
import { recover } from '../ledger/forfeit.ts'
import { lockAnyMerchant, unmarkDeleted } from '../merchants/store.ts'
import { attributeToRestored } from '../outgoing/treasury/attribute-money.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { endAccess } from './delete-merchant.ts'

export interface RestoreParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export interface Restoration {
  readonly merchantId: string
  /**
   * The account of the operator who restores the merchant. Undefined if the merchant is restored on the
   * command line of the server.
   */
  readonly accountId?: string
}

/**
 * Restores a deleted merchant with its members, invoices and balances, and credits it with the money that
 * came in since the deletion. The API key and webhook stay deleted. Does nothing if the merchant is not
 * deleted.
 * @throws Problem not-found, merchant-gone
 */
export async function restoreMerchant(
  { db, methods }: RestoreParts,
  { merchantId, accountId }: Restoration,
): Promise<{ readonly id: string; readonly name: string }> {
  return inTransaction(db, async (tx) => {
    const merchant = await lockAnyMerchant(tx, merchantId)
    if (merchant === undefined) throw fail('not-found', 'No such merchant.')
    const { id, name, deletedAt, isRestorable } = merchant
    if (deletedAt === undefined) return { id, name }
    if (!isRestorable)
      throw fail(
        'merchant-gone',
        `The merchant was deleted more than ${limits.merchantRestoreDays} days ago and can no longer be restored.`,
      )
    await unmarkDeleted(tx, id)
    // A request that ran during the deletion may have created a key or webhook after the deletion.
    await endAccess(tx, id)
    await recover(tx, { ownerId: id, subject: `restored:${id}:${newId()}` })
    await attributeToRestored(methods, tx, id)
    const by = accountId === undefined ? {} : { accountId }
    await recordAudit(tx, { ...by, merchantId: id, action: 'merchant.restored', subject: id })
    return { id, name }
  })
}
