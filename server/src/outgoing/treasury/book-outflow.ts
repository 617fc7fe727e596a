import { fail, failField } from '../../core/errors.ts'
import { recoverForClaims } from '../../ledger/forfeit.ts'
import { credit, debit, journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import { postOwing } from '../../ledger/receivable.ts'
import { type DeletedMerchant, lockAnyMerchant } from '../../merchants/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { outflowSubject } from '../engine/recovery/forget-outflow.ts'
import { lockOutflowPayment, type OutflowPayment, saveBooked } from '../engine/recovery/outflow-store.ts'

export interface BookOutflowParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export interface BookOutflowParams {
  /** The id of the payment, as `coffer payouts list` shows it. */
  readonly paymentId: string
  /** The merchant whose lost order the payment paid. Undefined if the operator bears the loss. */
  readonly merchantId: string | undefined
  /** The operator's reason, for the audit log. */
  readonly reason: string
}

/**
 * Books a payment of an outflow, which left our wallets without a known order. The merchant that had ordered it, or
 * the operator's capital, is charged. What the merchant lacks becomes a negative balance. No fee is charged, because the
 * fee of the lost order is not known. If the asset is not accepted, the books never had it, and nothing is posted.
 * @returns the payment
 * @throws Problem not-found, invalid-request, already-attributed
 */
export function bookOutflow(
  { db, methods }: BookOutflowParts,
  { paymentId, merchantId, reason }: BookOutflowParams,
): Promise<OutflowPayment> {
  return inTransaction(db, async (tx) => {
    const payment = await lockOutflowPayment(tx, paymentId)
    if (payment === undefined) throw fail('not-found', 'No payment of an outflow has this id.')
    if (payment.bookedAt !== undefined) throw fail('already-attributed', 'The payment is already booked.')
    const method = methods.all.find(
      ({ network, contract }) => network === payment.network && contract === payment.contract,
    )
    const merchant = merchantId === undefined ? undefined : await requireMerchant(tx, merchantId)
    if (method !== undefined) await charge(tx, payment, method, merchant)
    await saveBooked(tx, paymentId)
    const to = merchantId === undefined ? 'capital' : 'merchant'
    await recordAudit(tx, {
      ...(merchantId !== undefined && { merchantId }),
      action: 'payouts.outflow_booked',
      subject: paymentId,
      details: { reason, to, txHash: payment.txHash, amountMinor: payment.amountMinor.toString() },
    })
    return payment
  })
}

/** Returns the merchant and locks it, so that it is not deleted or restored before the payment is booked. */
async function requireMerchant(tx: Tx, merchantId: string): Promise<DeletedMerchant> {
  const merchant = await lockAnyMerchant(tx, merchantId)
  if (merchant === undefined) throw failField('/merchantID', 'is not the id of a merchant')
  return merchant
}

/**
 * Posts the journal of the payment. The money of a merchant that was deleted is taken from what was forfeited, as far as
 * that suffices.
 */
async function charge(
  tx: Tx,
  { id, amountMinor }: OutflowPayment,
  { asset }: PaymentMethod,
  merchant: DeletedMerchant | undefined,
): Promise<void> {
  const subject = outflowSubject(id)
  const custody = credit({ name: 'custody', asset }, amountMinor)
  if (merchant === undefined) {
    const lines = [debit({ name: 'capital', asset }, amountMinor), custody]
    return post(tx, [journal({ kind: 'outflow.capital', subject, lines })])
  }
  const ownerId = merchant.id
  if (merchant.deletedAt !== undefined)
    await recoverForClaims(tx, [{ ownerId, asset, amountMinor, subject: `recovered:${subject}` }])
  const lines = [debit({ name: 'available', ownerId, asset }, amountMinor), custody]
  return postOwing(tx, journal({ kind: 'outflow.merchant', subject, lines }))
}
