import type { Log } from '../../../core/log.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readLiftLine } from '../../../signing/statement.ts'
import { type PayoutFollower, tellPurposes } from '../purpose.ts'
import { retryRefusals, takeRefusal } from '../retries/refusal-store.ts'
import { openIncarnation } from '../signer-client/head-store.ts'
import { type HaltCause, insertHalt, insertLift } from './halt-store.ts'

/** Stops all payouts until it is lifted on the signer's host, and alerts. A halt of that cause that stands already stays as it is. */
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
 * An operator lets payouts go on; whatever the signer refused is tried again. Payouts and signer look at the signature.
 * @param line a lift, as "coffer signer lift" printed it
 * @returns whether there was a halt that it is for, and that it did not lift before
 */
export async function resumePayouts(
  tx: Tx,
  line: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  const signed = readLiftLine(line)
  const cause = signed && (await insertLift(tx, signed))
  if (signed === undefined || cause === undefined) return false
  if (signed.lift.incarnation !== null) await openIncarnation(tx, signed.lift.incarnation)
  const retried = await retryRefusals(tx)
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'payouts.resumed',
    subject: cause,
    details: { reason: by.reason, halt: signed.lift.haltId, retried },
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
