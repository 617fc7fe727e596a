import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** How far the signer's log is in the database. */
export async function readLogMark(on: Queryable): Promise<number> {
  const row = await one<{ mark: number }>(on, sql`select last_sequence as mark from signer_log_mark`)
  return row?.mark ?? 0
}

/** Moves the mark on over entries that are stored; it never moves past one that is not, nor back. */
export async function advanceLogMark(tx: Tx, from: number, to: number): Promise<void> {
  await tx.query(
    named(
      'advance-log-mark',
      sql`update signer_log_mark set last_sequence = ${to}
          where last_sequence >= ${from} and last_sequence < ${to}`,
    ),
  )
}
