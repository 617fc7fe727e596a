import { fail } from '../../../core/errors.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { OrderSigner } from '../../../signing/order-signature.ts'
import { applyEnding, endWithdrawals } from '../end-withdrawals.ts'
import { lockWithdrawals } from '../store.ts'
import { after, type Withdrawal } from '../withdrawal.ts'
import { saveReleased } from './store.ts'

/** Who decides; without an account it is done from the server's own shell. */
export interface Decider {
  readonly accountId: string | undefined
  /** Why, for the audit log; of a refusal the merchant is told. */
  readonly reason: string | undefined
}

/**
 * Lets an order go out whatever it is worth, by a signature without which no approval counts it. All else holds: it still waits for money that is final and for screening. One
 * that was let go before, or is on its way, stays as it is, also where it has been paid since.
 * @throws Problem not-found, withdrawal-ended
 */
export async function releaseWithdrawal(
  { db, orders }: { readonly db: Db; readonly orders: OrderSigner },
  { accountId, reason }: Decider,
  id: string,
): Promise<Withdrawal> {
  const signature = orders.signRelease(id)
  return inTransaction(db, async (tx) => {
    const withdrawal = await lock(tx, id)
    const { state, stage } = withdrawal.standing
    if (withdrawal.isReleased && state === 'completed') return withdrawal
    if (state !== 'pending') throw ended(withdrawal)
    if (stage !== 'queued' || (withdrawal.isReleased && withdrawal.releaseSignature === signature)) {
      return withdrawal
    }
    await saveReleased(tx, id, signature)
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      merchantId: withdrawal.merchantId,
      action: 'withdrawal.released',
      subject: id,
      details: { reason: reason ?? null },
    })
    return { ...withdrawal, isReleased: true, releaseSignature: signature, waitsFor: undefined }
  })
}

/**
 * Refuses an order while nothing is planned for it: it has failed, and its money is available again. One that an operator
 * refused before stays so.
 * @throws Problem not-found, withdrawal-ended, withdrawal-under-way
 */
export async function rejectWithdrawal(
  { db, methods }: { readonly db: Db; readonly methods: PaymentMethods },
  { accountId, reason }: Decider & { readonly reason: string },
  id: string,
): Promise<Withdrawal> {
  return inTransaction(db, async (tx) => {
    const withdrawal = await lock(tx, id)
    const { state, stage } = withdrawal.standing
    if (withdrawal.endReason === 'operator') return withdrawal
    if (state !== 'pending') throw ended(withdrawal)
    if (after(withdrawal.standing, 'cancelled') === undefined) {
      throw fail('withdrawal-under-way', `The withdrawal is ${stage}; it can no longer be refused.`)
    }
    const cause = { outcome: 'failed', reason: 'operator', explanation: reason } as const
    const ending = await endWithdrawals(methods, tx, [withdrawal], cause)
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      merchantId: withdrawal.merchantId,
      action: 'withdrawal.rejected',
      subject: id,
      details: { reason },
    })
    await applyEnding(tx, ending)
    return { ...withdrawal, standing: { state: 'failed', stage: undefined }, waitsFor: undefined }
  })
}

async function lock(tx: Tx, id: string): Promise<Withdrawal> {
  const [found] = await lockWithdrawals(tx, [id])
  if (found === undefined) throw fail('not-found', 'No such withdrawal.')
  return found
}

function ended({ standing: { state } }: Withdrawal) {
  return fail('withdrawal-ended', `The withdrawal is ${state}; nothing is left to decide.`)
}
