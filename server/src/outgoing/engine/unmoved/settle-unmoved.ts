import { recordAudit } from '../../../platform/audit/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { UnmovedOutcome } from './outcome-mac.ts'
import { decideUnmoved } from './unmoved-store.ts'

/**
 * Stores an operator's decision about an outgoing transaction that was mined with success but lacks an
 * expected transfer. The engine applies the decision when it next reads receipts.
 * @returns whether there was such a transaction without a decision
 */
export async function settleUnmoved(
  tx: Tx,
  outgoingTransactionId: string,
  by: { readonly outcome: UnmovedOutcome; readonly reason: string; readonly accountId?: string },
): Promise<boolean> {
  const { outcome, reason, accountId } = by
  if (!(await decideUnmoved(tx, outgoingTransactionId, { outcome, reason }))) return false
  await recordAudit(tx, {
    ...(accountId !== undefined && { accountId }),
    action: `payouts.settled_${outcome}`,
    subject: outgoingTransactionId,
    details: { reason },
  })
  return true
}
