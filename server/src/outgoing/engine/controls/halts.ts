/** Halts all outgoing transactions, and lets operators lift halts and drop refused transactions. */
import type { Log } from '../../../core/log.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readLiftLine } from '../../../signing/statement.ts'
import { notifySources, type OutgoingListener } from '../outgoing-source.ts'
import { retryRefusals, takeRefusal } from '../retries/refusal-store.ts'
import { openDatabaseIdentity } from '../signer-client/head-store.ts'
import { type HaltCause, insertHalt, insertLift, insertOwnHalt } from './halt-store.ts'

/**
 * Stops all outgoing transactions until the halt is lifted on the signer's host, and raises an alert. Does
 * nothing if a halt of the same cause is already active.
 */
export async function haltOutgoing(
  { db, log }: { readonly db: Queryable; readonly log: Log },
  cause: HaltCause,
  detail: string,
): Promise<void> {
  if (await insertHalt(db, cause, detail)) {
    log.error({ alert: 'outgoing-halted', cause, detail }, 'payouts are halted')
  }
}

/** Like `haltOutgoing`, but a halt of the same cause does not take the place of this one: each needs its own lift. */
export async function haltSeparately(
  { db: tx, log }: { readonly db: Tx; readonly log: Log },
  cause: HaltCause,
  detail: string,
): Promise<void> {
  await insertOwnHalt(tx, cause, detail)
  log.error({ alert: 'outgoing-halted', cause, detail }, 'payouts are halted')
}

/**
 * Stores a signed statement by which an operator lifts a halt. All transactions that the signer refused are
 * then due for another try. The signature is not checked here, because the engine and the signer verify it.
 * @param line is the statement as printed by "coffer signer lift"
 * @returns whether the halt exists and this statement is new
 */
export async function resumeOutgoing(
  tx: Tx,
  line: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  const signed = readLiftLine(line)
  const cause = signed && (await insertLift(tx, signed))
  if (signed === undefined || cause === undefined) return false
  if (signed.lift.databaseId !== null) await openDatabaseIdentity(tx, signed.lift.databaseId)
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
 * Drops an outgoing transaction that the signer refused before anything was signed for it. Notifies its
 * outgoing source that the transaction will not be planned again.
 * @returns whether the signer had refused a transaction with this id
 */
export async function dropRefused(
  tx: Tx,
  outgoingSources: readonly OutgoingListener[],
  outgoingTransactionId: string,
  by: { readonly accountId?: string; readonly reason: string },
): Promise<boolean> {
  const proposal = await takeRefusal(tx, outgoingTransactionId)
  if (proposal === undefined) return false
  await notifySources(outgoingSources, tx, [{ proposal, to: 'refused', reason: by.reason }])
  await recordAudit(tx, {
    ...(by.accountId !== undefined && { accountId: by.accountId }),
    action: 'payouts.dropped',
    subject: outgoingTransactionId,
    details: { reason: by.reason },
  })
  return true
}
