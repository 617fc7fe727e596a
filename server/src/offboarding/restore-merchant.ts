import { fail } from '../core/errors.ts'
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
  /** The operator who asks; absent from the server's shell. */
  readonly accountId?: string
}

/**
 * Takes a deletion back: members, invoices and balances are as before, and what came in meanwhile is its own. Its key
 * and webhook stay gone. One that is not deleted is left as it is.
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
      throw fail('merchant-gone', `It was deleted more than ${limits.merchantRestoreDays} days ago.`)
    await unmarkDeleted(tx, id)
    // A request that was under way when the merchant was deleted may have made new ones since.
    await endAccess(tx, id)
    await recover(tx, { ownerId: id, subject: `restored:${id}:${deletedAt.toISOString()}` })
    await attributeToRestored(methods, tx, id)
    const by = accountId === undefined ? {} : { accountId }
    await recordAudit(tx, { ...by, merchantId: id, action: 'merchant.restored', subject: id })
    return { id, name }
  })
}
