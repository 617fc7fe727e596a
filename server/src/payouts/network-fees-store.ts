import sql from 'sql-template-tag'
import { named, type Queryable } from '../db/pool.ts'
import { feeSubject } from './network-fees.ts'

/** Which of the transactions have no fee in the books yet. */
export async function findUnbooked(on: Queryable, txHashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (txHashes.length === 0) return new Set()
  const rows = await on.query<{ subject: string }>(
    named(
      'find-booked-network-fees',
      sql`select subject from journal where subject = any(${txHashes.map(feeSubject)}::text[])`,
    ),
  )
  const booked = new Set(rows.map(({ subject }) => subject))
  return new Set(txHashes.filter((txHash) => !booked.has(feeSubject(txHash))))
}
