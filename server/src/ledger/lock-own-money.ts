import sql from 'sql-template-tag'
import type { Tx } from '../platform/db/transaction.ts'

/**
 * Serialises database transactions that spend the operator's own money in an asset, as gas or as a treasury
 * withdrawal. The lock lasts until the transaction ends. Callers take all their other locks before this one,
 * so that no deadlock occurs.
 */
export async function lockOwnMoney(tx: Tx, asset: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`own money ${asset}`}, 0))`)
}
