import { recordAudit } from '../../../platform/audit/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { UnmovedOutcome } from './outcome-mac.ts'
import { decideUnmoved } from './unmoved-store.ts'

/**
 * An operator decides on a payout that was mined with success and did not move what it was to move. The machine that follows
 * it carries the decision out with its next look at the chain.
 * @returns whether there was such a one that nobody had decided on
 */
export async function settleUnmoved(
  tx: Tx,
  payoutId: string,
  by: { readonly outcome: UnmovedOutcome; readonly reason: string; readonly accountId?: string },
): Promise<boolean> {
  const { outcome, reason, accountId } = by
  if (!(await decideUnmoved(tx, payoutId, { outcome, reason }))) return false
  await recordAudit(tx, {
    ...(accountId !== undefined && { accountId }),
    action: `payouts.settled_${outcome}`,
    subject: payoutId,
    details: { reason },
  })
  return true
}
