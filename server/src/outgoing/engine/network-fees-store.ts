import sql from 'sql-template-tag'
import { named, type Queryable } from '../../platform/db/pool.ts'
import { type BookedFees, feeSubject } from './network-fees.ts'

/** Returns the hashes of the given transactions whose network fee is booked. */
export async function findBooked(on: Queryable, txHashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (txHashes.length === 0) return new Set()
  const rows = await on.query<{ subject: string }>(
    named(
      'find-booked-network-fees',
      sql`select subject from journal where subject = any(${txHashes.map(feeSubject)}::text[])`,
    ),
  )
  const booked = new Set(rows.map(({ subject }) => subject))
  return new Set(txHashes.filter((txHash) => booked.has(feeSubject(txHash))))
}

/**
 * Returns the sum of the network fees that are booked for the given transactions, including corrections. The
 * query reads all journals, so it runs only after a final block was undone.
 */
export async function readBooked(on: Queryable, txHashes: readonly string[]): Promise<BookedFees> {
  const [row] = await on.query<{ minor: string; journals: number }>(sql`
    select coalesce(sum(line.debit - line.credit), 0) as minor, count(distinct journal.id)::int as journals
    from journal
    join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id and account.name = 'network_fees'
    where journal.subject like 'network-fee:%'
      and split_part(journal.subject, ':', 2) = any(${[...txHashes]}::text[])`)
  return { minor: BigInt(row?.minor ?? 0), journals: row?.journals ?? 0 }
}
