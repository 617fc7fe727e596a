import sql from 'sql-template-tag'
import type { Tx } from '../platform/db/transaction.ts'

/**
 * Whoever gives away the operator's own money in an asset, as gas or by an order to take it out, does so one after the
 * other. What else a transaction locks is locked before.
 */
export async function lockOwnMoney(tx: Tx, asset: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`own money ${asset}`}, 0))`)
}
