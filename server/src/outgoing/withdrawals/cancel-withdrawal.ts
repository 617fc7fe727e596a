import { fail } from '../../core/errors.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../../platform/http/auth.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { applyEnding, endWithdrawals } from './end-withdrawals.ts'
import { findEndable } from './orders/endable.ts'
import { lockWithdrawals } from './store.ts'

/**
 * Cancels a withdrawal while no transaction is planned for it, and returns the money to the merchant. A
 * withdrawal that is already cancelled stays as it is.
 * @throws Problem not-found, withdrawal-under-way
 * @throws AlertError if it is not known whether the money is held
 */
export async function cancelWithdrawal(
  { db, methods }: { readonly db: Db; readonly methods: PaymentMethods },
  caller: Caller,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
): Promise<void> {
  const error = await inTransaction(db, async (tx) => {
    const [found] = await lockWithdrawals(tx, [id])
    if (found?.merchantId !== merchantId) throw fail('not-found', 'No such withdrawal.')
    if (found.status.state === 'cancelled') return undefined
    const { endable, errors } = await findEndable(methods, tx, [found])
    if (errors.size > 0) return errors.get(id)
    const isOwn = endable.every(({ withdrawal }) => withdrawal.merchantId === merchantId)
    // The record that the merchant of the row was changed must be committed, so nothing is thrown here.
    if (!isOwn) return fail('not-found', 'No such withdrawal.')
    const ending = await endWithdrawals(methods, tx, endable, { outcome: 'cancelled', reason: 'merchant' })
    const accountId = caller.type === 'account' ? { accountId: caller.accountId } : {}
    await recordAudit(tx, { ...accountId, merchantId, action: 'withdrawal.cancelled', subject: id })
    await applyEnding(tx, ending)
    return undefined
  })
  if (error !== undefined) throw error
}
