/**
 * Computes the sums of each account's lines. Sealed history does not change, so the sums up to a seal stay
 * valid. They are computed in advance, in short queries, each over one range of ids. When the sums are
 * compared, the lines after that seal are added in the same snapshot.
 */
import sql, { type Sql } from 'sql-template-tag'
import { firstId } from '../../../core/ids.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { findEnd, keySpaces } from '../stretch.ts'

/** The debits and credits of an account. */
export interface LineSum {
  debitMinor: bigint
  creditMinor: bigint
}

/** The sums of all lines up to and including a seal, by account. */
export interface LineSums {
  /** The sequence number of the last seal in the sums; 0 if nothing is sealed. */
  readonly sequence: number
  readonly accounts: ReadonlyMap<number, LineSum>
}

/**
 * Returns a query of (account_id, debit, credit): the sums of all lines in the snapshot in which the query
 * runs. If `sums` is given, the query adds only the lines after its last seal.
 */
export function summedLines(sums: LineSums | undefined): Sql {
  if (sums === undefined)
    return sql`select account_id, sum(debit) as debit, sum(credit) as credit from journal_line group by account_id`
  const accounts = [...sums.accounts]
  return sql`
    select account_id, sum(debit) as debit, sum(credit) as credit from (
      select * from unnest(
        ${accounts.map(([id]) => id)}::bigint[],
        ${accounts.map(([, { debitMinor }]) => debitMinor)}::numeric[],
        ${accounts.map(([, { creditMinor }]) => creditMinor)}::numeric[]) as known (account_id, debit, credit)
      union all
      select account_id, debit, credit from journal_line where journal_id in (
        select journal_id from journal_unsealed
        union select journal_id from journal_seal where sequence > ${sums.sequence})
    ) line group by account_id`
}

/**
 * Adds up the lines of a range of journals: up to `rows` journals from the id `from` on. Omits journals that
 * were sealed after the seal `sequence`, and journals that still wait for a seal.
 */
export async function sumStretch(
  on: Queryable,
  {
    sequence,
    from,
    rows,
  }: { readonly sequence: number; readonly from: string | undefined; readonly rows: number },
): Promise<{ readonly accounts: ReadonlyMap<number, LineSum>; readonly next: string | undefined }> {
  const next = await findEnd(on, keySpaces.journals, from, rows)
  const end = next === undefined ? sql`` : sql`and journal_id < (select ${next}::uuid)`
  const isInside = sql`journal_id >= (select ${from ?? firstId}::uuid) ${end}`
  // Seals are limited to the same range of ids as lines. Otherwise PostgreSQL would read all seals for each
  // range.
  const accounts = await sumBy(
    on,
    sql`from (select * from journal_line where ${isInside}) line
        left join (select journal_id, sequence from journal_seal where ${isInside}) seal using (journal_id)
        where seal.sequence <= ${sequence} or seal.sequence is null and not exists (
          select from journal_unsealed waiting where waiting.journal_id = line.journal_id)`,
  )
  return { accounts, next }
}

/** Adds up the lines of the journals with a seal above `after`, up to and including the seal `upTo`. */
export function sumSeals(on: Queryable, after: number, upTo: number): Promise<ReadonlyMap<number, LineSum>> {
  return sumBy(
    on,
    sql`from journal_seal seal join journal_line line using (journal_id)
        where seal.sequence > ${after} and seal.sequence <= ${upTo}`,
  )
}

async function sumBy(on: Queryable, from: Sql): Promise<ReadonlyMap<number, LineSum>> {
  const rows = await on.query<{ id: number; debit: string; credit: string }>(
    sql`select line.account_id as id, sum(debit) as debit, sum(credit) as credit ${from} group by line.account_id`,
  )
  return new Map(
    rows.map(({ id, debit, credit }) => [id, { debitMinor: BigInt(debit), creditMinor: BigInt(credit) }]),
  )
}

export function addSums(to: Map<number, LineSum>, more: ReadonlyMap<number, LineSum>): void {
  for (const [account, { debitMinor, creditMinor }] of more) {
    const sum = to.get(account) ?? { debitMinor: 0n, creditMinor: 0n }
    to.set(account, {
      debitMinor: sum.debitMinor + debitMinor,
      creditMinor: sum.creditMinor + creditMinor,
    })
  }
}
