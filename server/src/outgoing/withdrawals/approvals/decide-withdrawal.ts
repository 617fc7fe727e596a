import { required } from '../../../core/assert.ts'
import { type AlertError, fail, type Problem } from '../../../core/errors.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { OrderSigner } from '../../../signing/order-signature.ts'
import { applyEnding, endWithdrawals } from '../end-withdrawals.ts'
import { findEndable } from '../orders/endable.ts'
import { lockWithdrawals } from '../store.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { saveReleased } from './store.ts'

/** Who decides, and why. `accountId` is undefined if the decision was made in the server's own shell. */
export interface Decider {
  readonly accountId: string | undefined
  /** The reason, for the audit log. The reason of a rejection is also shown to the merchant. */
  readonly reason: string | undefined
}

/**
 * Releases an order, which means that an operator agrees to it regardless of its worth. The release is
 * signed, because approval requires the signature. All other rules still apply: the order waits for final
 * money and for screening. An order that is pending but no longer queued stays unchanged. An order that was
 * released before also stays unchanged, even if it has been paid since.
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
    const { state, stage } = withdrawal.status
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
 * Rejects an order while no transaction is planned for it. The order fails, and its money is available again.
 * Repeating an operator's rejection changes nothing.
 * @throws Problem not-found, withdrawal-ended, withdrawal-under-way
 * @throws AlertError if it is not known whether the money is held
 */
export async function rejectWithdrawal(
  { db, methods }: { readonly db: Db; readonly methods: PaymentMethods },
  { accountId, reason }: Decider & { readonly reason: string },
  id: string,
): Promise<Withdrawal> {
  const result = await inTransaction(db, async (tx): Promise<Withdrawal | Problem | AlertError> => {
    const withdrawal = await lock(tx, id)
    const { state } = withdrawal.status
    if (withdrawal.endReason === 'operator') return withdrawal
    if (state !== 'pending') throw ended(withdrawal)
    const cause = { outcome: 'failed', reason: 'operator', explanation: reason } as const
    const { endable, errors } = await findEndable(methods, tx, [withdrawal])
    const error = errors.get(id)
    if (error !== undefined) return error
    const ending = await endWithdrawals(methods, tx, endable, cause)
    const [ordered] = endable
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      merchantId: required(ordered, 'the withdrawal that ends').withdrawal.merchantId,
      action: 'withdrawal.rejected',
      subject: id,
      details: { reason },
    })
    await applyEnding(tx, ending)
    return { ...withdrawal, status: { state: 'failed', stage: undefined }, waitsFor: undefined }
  })
  if (result instanceof Error) throw result
  return result
}

async function lock(tx: Tx, id: string): Promise<Withdrawal> {
  const [found] = await lockWithdrawals(tx, [id])
  if (found === undefined) throw fail('not-found', 'No such withdrawal.')
  return found
}

function ended({ status: { state } }: Withdrawal) {
  return fail('withdrawal-ended', `The withdrawal is ${state} and needs no decision.`)
}
