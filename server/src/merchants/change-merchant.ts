import { fail, failField } from '../core/errors.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import type { Caller } from '../platform/http/auth.ts'
import { asksForSettings, changed, type Merchant, type MerchantChange } from './merchant.ts'
import { lockMerchant, updateMerchant } from './store.ts'

/**
 * Changes a merchant's name or settings.
 * @throws Problem `invalid-request`, `forbidden` (settings with an API key) or `not-found`.
 */
export async function changeMerchant(
  db: Db,
  { caller, merchantId }: { readonly caller: Caller; readonly merchantId: string },
  change: MerchantChange,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const before = await lockMerchant(tx, merchantId)
    if (before === undefined) throw fail('not-found', 'No such merchant.')
    const isOtherSettings = asksForSettings(before, change)
    if (isOtherSettings && caller.type === 'key') {
      throw fail('forbidden', 'An API key can change the name only; use a Bearer token to change settings.')
    }
    const after = changed(before, change)
    if ('pointer' in after) throw failField(after.pointer, after.detail)
    if (isOtherSettings && caller.type === 'account') await auditSettings(tx, caller.accountId, before, after)
    await updateMerchant(tx, after)
  })
}

async function auditSettings(tx: Tx, accountId: string, before: Merchant, after: Merchant): Promise<void> {
  await recordAudit(tx, {
    accountId,
    merchantId: before.id,
    action: 'merchant.settings_changed',
    subject: before.id,
    details: { before: policyOf(before), after: policyOf(after) },
  })
}

function policyOf({ settings: { paidWhen, toleranceBasisPoints, creditsWrongNetwork } }: Merchant) {
  return { paidWhen, toleranceBasisPoints, creditsWrongNetwork }
}
