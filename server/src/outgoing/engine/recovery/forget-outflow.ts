/** Undoes bookings of outflows. */
import { forfeit } from '../../../ledger/forfeit.ts'
import { repayReceivable } from '../../../ledger/receivable.ts'
import { reverse } from '../../../ledger/reverse.ts'
import { findJournals } from '../../../ledger/store.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { deleteOutflow, lockPaymentsOf, type OutflowPayment } from './outflow-store.ts'

/**
 * Returns the subject of the journal that books a payment of an outflow.
 * @param bookings is the number of bookings with this one, because a subject is booked only once
 */
export function outflowSubject({ id, bookings }: Pick<OutflowPayment, 'id' | 'bookings'>): string {
  return `outflow:${id}:${bookings}`
}

/**
 * Forgets an outflow that turns out to be a transaction of ours. It is from now on stored as an attempt of an outgoing
 * transaction, which books its own payments. What an operator booked for the outflow is therefore reversed.
 */
export async function forgetOutflow(tx: Tx, network: string, txHash: string): Promise<void> {
  const booked = (await lockPaymentsOf(tx, network, txHash)).filter(({ bookedAt }) => bookedAt !== undefined)
  for (const payment of booked)
    await undoBooking(tx, payment, { reason: 'the transaction is known again, and books its own payments' })
  await deleteOutflow(tx, network, txHash)
}

/**
 * Reverses the journal of a booked payment. The merchant's debts are repaid from what it gets back. If the merchant is
 * deleted, that money is forfeited.
 */
export async function undoBooking(
  tx: Tx,
  payment: OutflowPayment,
  { reason }: { readonly reason: string },
): Promise<void> {
  const subject = outflowSubject(payment)
  const [posted] = await findJournals(tx, [subject])
  if (posted !== undefined) {
    const ownerIds = [...new Set(posted.lines.flatMap(({ account }) => account.ownerId ?? []))]
    const deleted = await lockDeleted(tx, ownerIds)
    const reversal = { subject, kind: `${posted.kind}.reversed`, newSubject: `reversed:${subject}` }
    await repayReceivable(tx, await reverse(tx, [reversal]))
    for (const ownerId of deleted) await forfeit(tx, { ownerId, subject: `forfeited:${subject}` })
  }
  await recordAudit(tx, {
    action: 'payouts.outflow_unbooked',
    subject: payment.id,
    details: { reason, txHash: payment.txHash },
  })
}
