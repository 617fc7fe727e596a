import sql from 'sql-template-tag'
import { named, type Queryable } from '../../platform/db/pool.ts'
import { type BookedFees, feeSubject } from './network-fees.ts'

/** Which of the transactions have a fee in the books. */
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

/** All that is booked for some transactions together, with what was corrected. Reads all journals: for dev chains. */
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
