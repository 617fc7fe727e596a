import { recordAudit } from '../audit/store.ts'
import type { Log } from '../core/log.ts'
import type { Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { deleteHalt, type HaltCause, insertHalt } from './halt-store.ts'
import { type PayoutFollower, tellPurposes } from './purpose.ts'
import { retryRefusals, takeRefusal } from './refusal-store.ts'

/** Stops all payouts until somebody takes it back, and alerts. A halt of that cause that stands already stays as it is. */
export async function haltPayouts(
  { db, log }: { readonly db: Queryable; readonly log: Log },
  cause: HaltCause,
  detail: string,
): Promise<void> {
  if (await insertHalt(db, cause, detail)) {
    log.error({ alert: 'payouts-halted', cause, detail }, 'payouts are halted')
  }
}

/**
 * An operator lets payouts go on; whatever the signer refused is tried again.
 * @returns whether there was such a halt
 */
export async function resumePayouts(
  tx: Tx,
  cause: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  if (!(await deleteHalt(tx, cause))) return false
  const retried = await retryRefusals(tx)
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'payouts.resumed',
    subject: cause,
    details: { reason: by.reason, retried },
  })
  return true
}

/**
 * Gives a payout up that the signer refused before anything was signed for it; its purpose is told that it is refused.
 * @returns whether there was such a one
 */
export async function dropRefused(
  tx: Tx,
  purposes: readonly PayoutFollower[],
  payoutId: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  const proposal = await takeRefusal(tx, payoutId)
  if (proposal === undefined) return false
  await tellPurposes(purposes, tx, [{ proposal, to: 'refused', reason: by.reason }])
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'payouts.dropped',
    subject: payoutId,
    details: { reason: by.reason },
  })
  return true
}
