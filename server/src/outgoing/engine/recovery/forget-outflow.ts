import { repayReceivable } from '../../../ledger/receivable.ts'
import { reverse } from '../../../ledger/reverse.ts'
import { findJournals } from '../../../ledger/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { deleteOutflow, lockPaymentsOf } from './outflow-store.ts'

/** Returns the subject of the journal that books a payment of an outflow. */
export function outflowSubject(paymentId: string): string {
  return `outflow:${paymentId}`
}

/**
 * Forgets an outflow that was later found in the signer's log. The transaction is from now on stored as an outgoing
 * transaction, which books its own payments. What an operator booked for the outflow is therefore reversed.
 */
export async function forgetOutflow(tx: Tx, network: string, txHash: string): Promise<void> {
  const payments = await lockPaymentsOf(tx, network, txHash)
  const booked = await findJournals(
    tx,
    payments.map(({ id }) => outflowSubject(id)),
  )
  const mirrors = await reverse(
    tx,
    booked.map(({ subject, kind }) => ({
      subject,
      kind: `${kind}.reversed`,
      newSubject: `reversed:${subject}`,
    })),
  )
  await repayReceivable(tx, mirrors)
  await deleteOutflow(tx, network, txHash)
}
