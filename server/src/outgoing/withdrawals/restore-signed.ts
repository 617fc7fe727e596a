/**
 * Restores withdrawals that the database no longer has, or no longer knows to be signed, from the payments of
 * their outgoing transactions.
 */
import { required } from '../../core/assert.ts'
import type { Log } from '../../core/log.ts'
import { formatDecimal } from '../../core/money.ts'
import { postWithReceivable } from '../../ledger/receivable.ts'
import { insertLostMerchant, lockAnyMerchant } from '../../merchants/store.ts'
import { saveClaimed } from '../../payments/invoices/claims/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import { noteTamperings, type Tampering } from '../../platform/audit/tampering-store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Payment } from '../../signing/intent.ts'
import { findOwnClaims } from './claims/own-claim-store.ts'
import { holdJournal } from './journals.ts'
import { isGenuine, type OrderedParts } from './orders/as-ordered.ts'
import { type OpenHold, readHeldMoney } from './orders/held-money.ts'
import { remedy } from './orders/remedy.ts'
import { saveHeldAgain, saveProgress, saveRetaken } from './outgoing-store.ts'
import { insertWithdrawal } from './store.ts'
import { reach, type Withdrawal } from './withdrawal.ts'

interface RestoreParts extends OrderedParts {
  readonly log: Log
}

/**
 * Restores a signed withdrawal that the database lost, or whose money the books show as returned. Such a
 * withdrawal is found after a backup was restored, and may be paid at any moment. The amount of the payment is
 * held again, and what the merchant lacks for the hold becomes a negative balance. If the money is still held,
 * only a lost row is restored.
 * @param known the withdrawal in the database; undefined if the database lost it
 * @returns the restored withdrawal, or `known` if it cannot or need not be restored
 */
export async function restoreSigned(
  parts: RestoreParts,
  tx: Tx,
  payment: Payment,
  known: Withdrawal | undefined,
): Promise<Withdrawal | undefined> {
  const { withdrawalId, merchantId } = payment
  const money = required((await readHeldMoney(tx, [withdrawalId])).get(withdrawalId), 'the held money')
  const isHeld = money.type === 'open' || money.type === 'unreadable'
  if (known !== undefined && isHeld) return known
  if (money.type === 'ended' && (money.outcome === 'completed' || money.isRetaken)) {
    await noteTamperings(tx, [endedTampering(withdrawalId)])
    return known
  }
  const isRetaken = money.type === 'ended' || (isHeld && money.isRetaken)
  const restored =
    known === undefined
      ? await insertLost(parts, tx, payment, isRetaken)
      : await saveRetaken(tx, withdrawalId)
  const { invoiceId } = restored
  if (invoiceId !== undefined && invoiceId === payment.invoiceId) await saveClaimed(tx, invoiceId, true)
  if (!isHeld) await holdAgain(tx, payment, isRetaken)
  await recordAudit(tx, { merchantId, action: 'withdrawal.retaken', subject: withdrawalId })
  parts.log.error(
    { alert: 'withdrawal-restored', withdrawalID: withdrawalId, merchantID: merchantId },
    'a signed withdrawal was missing in the database and is restored from the log of the signer',
  )
  return restored
}

function endedTampering(id: string): Tampering {
  const detail = `the database had lost a signed transaction that pays withdrawal ${id}, but the books show that this withdrawal was paid, or that its money was returned twice. ${remedy}`
  return { subject: `transaction of withdrawal ${id}`, detail }
}

/**
 * Restores the withdrawals of payments whose rows somebody deleted while their outgoing transactions were
 * stored. The deletion is recorded as tampering, so that payouts halt. A withdrawal is restored only if the
 * books still hold the amount of the payment, and the payment is one that was ordered or approved.
 */
export async function restoreDeleted(
  parts: RestoreParts,
  tx: Tx,
  payments: readonly Payment[],
): Promise<readonly Withdrawal[]> {
  if (payments.length === 0) return []
  const held = await readHeldMoney(
    tx,
    payments.map(({ withdrawalId }) => withdrawalId),
  )
  const restored: Withdrawal[] = []
  const tamperings: Tampering[] = []
  for (const payment of payments) {
    const { withdrawalId } = payment
    const money = held.get(withdrawalId)
    const isWanted = money?.type === 'open' && isOf(payment, money) && isGenuine(parts, payment)
    if (isWanted) restored.push(await insertLost(parts, tx, payment, money.isRetaken))
    const result = isWanted
      ? 'it is restored from the transaction'
      : 'it is not restored, because its payment cannot be verified or its money is not held'
    const detail = `the row of withdrawal ${withdrawalId} was deleted before its transaction ended; ${result}. ${remedy}`
    tamperings.push({ subject: `deleted withdrawal ${withdrawalId}`, detail })
  }
  await noteTamperings(tx, tamperings)
  return restored
}

function isOf({ merchantId, asset, netMinor, feeMinor }: Payment, hold: OpenHold): boolean {
  return merchantId === hold.merchantId && asset === hold.asset && netMinor + feeMinor === hold.amountMinor
}

async function insertLost(
  { methods }: RestoreParts,
  tx: Tx,
  payment: Payment,
  isRetaken: boolean,
): Promise<Withdrawal> {
  const { withdrawalId: id, merchantId, asset, address, netMinor, feeMinor, orderSignature } = payment
  const method = required(methods.byAsset(asset), `the method of ${asset}`)
  if ((await lockAnyMerchant(tx, merchantId)) === undefined) {
    await insertLostMerchant(tx, merchantId)
  }
  const claim = payment.invoiceId ?? undefined
  const isOwn = claim !== undefined && (await findOwnClaims(tx, [{ id, invoiceId: claim }])).has(id)
  const invoiceId = isOwn ? claim : undefined
  const amountMinor = netMinor + feeMinor
  const amount = formatDecimal(amountMinor, method.decimals)
  const wanted = { id, merchantId, asset, address, amountMinor, amount, feeMinor, invoiceId }
  const inserted = await insertWithdrawal(tx, { ...wanted, orderSignature, paymentMethodId: method.id })
  const queued = required(inserted, 'a withdrawal that was lost')
  if (isRetaken) await saveHeldAgain(tx, id)
  const signed = { ...queued, isRetaken, status: reach(queued.status, 'signed') }
  await saveProgress(tx, [signed])
  return signed
}

/**
 * Posts the hold again. The missing amount becomes a negative balance until the blocks since the backup are
 * booked. Until then, no other withdrawal of the merchant is planned. No order of the merchant is cancelled,
 * because the next blocks may bring the missing money.
 */
async function holdAgain(
  tx: Tx,
  { withdrawalId: id, merchantId, asset, netMinor, feeMinor }: Payment,
  isRetaken: boolean,
): Promise<void> {
  await postWithReceivable(
    tx,
    holdJournal({ id, merchantId, asset, amountMinor: netMinor + feeMinor, feeMinor, isRetaken }),
  )
}
