import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Returns the sequence of the entry of the signer's log that was adopted last; 0 if no entry was adopted. */
export async function readLogPosition(on: Queryable): Promise<number> {
  const row = await one<{ position: number }>(
    on,
    sql`select last_sequence as position from signer_log_position`,
  )
  return row?.position ?? 0
}

/**
 * Raises the log position to `to`, after the entries between `from` and `to` were stored. Does nothing if the
 * position is below `from`, because earlier entries may then be missing. The position never falls.
 */
export async function advanceLogPosition(tx: Tx, from: number, to: number): Promise<void> {
  await tx.query(
    named(
      'advance-log-position',
      sql`update signer_log_position set last_sequence = ${to}
          where last_sequence >= ${from} and last_sequence < ${to}`,
    ),
  )
}
