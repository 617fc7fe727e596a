/**
 * Restores withdrawals that the database no longer has, or no longer knows to be signed, from the payments of
 * their outgoing transactions.
 */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import { formatDecimal } from '../../core/money.ts'
import { OverdraftError, post } from '../../ledger/post.ts'
import { receivableJournal } from '../../ledger/receivable.ts'
import { insertLostMerchant, lockAnyMerchant } from '../../merchants/store.ts'
import { saveClaimed } from '../../payments/invoices/claims/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import { noteTamperings } from '../../platform/audit/tampering-store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../signing/intent.ts'
import { holdJournal } from './journals.ts'
import { saveProgress, saveRetaken } from './outgoing-store.ts'
import { insertWithdrawal } from './store.ts'
import { reach, type Withdrawal } from './withdrawal.ts'

interface RestoreParts {
  readonly methods: PaymentMethods
  readonly log: Log
}

/**
 * Restores a signed withdrawal that the database lost, or whose money the database shows as returned. Such a
 * withdrawal is found after a backup was restored, and may be paid at any moment. The hold is posted again,
 * and the amount that the merchant lacks for the hold becomes a negative balance.
 * @param known the withdrawal as it ended in the database; undefined if the database lost it
 */
export async function restoreSigned(
  parts: RestoreParts,
  tx: Tx,
  payment: Payment,
  known: Withdrawal | undefined,
): Promise<Withdrawal> {
  const { withdrawalId, merchantId } = payment
  const restored =
    known === undefined
      ? await insertLost(parts, tx, payment)
      : required(await saveRetaken(tx, withdrawalId), 'a withdrawal that ended, and was not paid')
  if (restored.invoiceId !== undefined) await saveClaimed(tx, restored.invoiceId, true)
  await holdAgain(tx, restored)
  await recordAudit(tx, { merchantId, action: 'withdrawal.retaken', subject: withdrawalId })
  parts.log.error(
    { alert: 'withdrawal-restored', withdrawalID: withdrawalId, merchantID: merchantId },
    'a signed withdrawal was missing in the database and is restored from the log of the signer',
  )
  return restored
}

/**
 * Restores a withdrawal whose row somebody deleted while its outgoing transaction was stored. The books still
 * hold its money. The deletion is recorded as tampering, so that payouts halt.
 */
export async function restoreDeleted(parts: RestoreParts, tx: Tx, payment: Payment): Promise<Withdrawal> {
  const { withdrawalId } = payment
  const detail = `withdrawal ${withdrawalId} was deleted before its transaction ended; it is restored from the transaction. Before payouts resume, find out who changed the database`
  await noteTamperings(tx, [{ subject: `withdrawal ${withdrawalId}`, detail }])
  return insertLost(parts, tx, payment)
}

async function insertLost({ methods }: RestoreParts, tx: Tx, payment: Payment): Promise<Withdrawal> {
  const { withdrawalId: id, merchantId, asset, address, netMinor, feeMinor, orderSignature } = payment
  const method = required(methods.byAsset(asset), `the method of ${asset}`)
  if ((await lockAnyMerchant(tx, merchantId)) === undefined) {
    await insertLostMerchant(tx, merchantId)
  }
  const amountMinor = netMinor + feeMinor
  const amount = formatDecimal(amountMinor, method.decimals)
  const wanted = { id, merchantId, asset, address, amountMinor, amount, feeMinor, invoiceId: undefined }
  const inserted = await insertWithdrawal(tx, { ...wanted, orderSignature, paymentMethodId: method.id })
  const queued = required(inserted, 'a withdrawal that was lost')
  const signed = { ...queued, status: reach(queued.status, 'signed') }
  await saveProgress(tx, [signed])
  return signed
}

/**
 * Posts the hold again. The missing amount becomes a negative balance until the blocks since the backup are
 * booked. Until then, no other withdrawal of the merchant is planned. No order of the merchant is cancelled,
 * because the next blocks may bring the missing money.
 */
async function holdAgain(tx: Tx, withdrawal: Withdrawal): Promise<void> {
  const hold = holdJournal(withdrawal)
  try {
    await post(tx, [hold])
  } catch (error) {
    if (!(error instanceof OverdraftError)) throw error
    const owed = error.shortfalls.map(({ account, shortMinor }) =>
      receivableJournal(account, shortMinor, hold.subject),
    )
    await post(tx, [...owed, hold])
  }
}
