/** Deposits whose sender did not pass screening. */
import sql, { join } from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../../platform/http/wire.ts'
import type { Verdict } from '../../screening/verdict.ts'
import type { Transaction } from '../deposit.ts'
import { type TransactionRow, toTransaction, transactionColumns } from '../store.ts'

/** Locked as by `lockRipe`; those that are there, in the order in which blocks hold them. */
export async function lockTransactions(tx: Tx, ids: readonly string[]): Promise<readonly Transaction[]> {
  const rows = await tx.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction where id = any(${[...ids]}::uuid[])
    order by block_height, block_place for no key update`)
  return rows.map(toTransaction)
}

/** One page of what is held, the longest held first, and how much there is in all. */
export async function listHeld(
  on: Queryable,
  merchantId: string | undefined,
  paging: Paging,
): Promise<{ readonly held: readonly Transaction[]; readonly total: number }> {
  const conditions = [sql`quarantine = 'held'`]
  if (merchantId !== undefined) conditions.push(sql`merchant_id = ${merchantId}`)
  const where = join(conditions, ' and ')
  const rows = await on.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction where ${where}
    order by confirmed_at, id limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*) as total from transaction where ${where}`,
  )
  return { held: rows.map(toTransaction), total: counted?.total ?? 0 }
}

/** A deposit in a block whose sender could not be screened so far. */
export interface UnscreenedDeposit {
  readonly id: string
  readonly network: string
  /** The sender, and whoever signed the transaction where that is somebody else. */
  readonly payers: readonly string[]
}

/** At most `rows` of them with ids above `after`, in the order of ids. One without a single sender is left to an operator. */
export async function readUnscreened(
  on: Queryable,
  after: string,
  rows: number,
): Promise<readonly UnscreenedDeposit[]> {
  return on.query<UnscreenedDeposit>(sql`
    select id, network, array_remove(array[sender, origin], null) as payers from transaction
    where aml_verdict = 'unknown' and block_height is not null and quarantine is distinct from 'seized'
      and sender is not null and id > ${after}
    order by id limit ${rows}`)
}

/** What screening says of all who paid a deposit. */
export interface Screened {
  readonly verdict: Verdict
  /** Who of them is listed. */
  readonly listedAddress: string | undefined
}

/** By the ids of transactions. */
export async function saveVerdicts(tx: Tx, told: ReadonlyMap<string, Screened>): Promise<void> {
  const screened = [...told.values()]
  await tx.query(sql`
    update transaction set aml_verdict = verdict, listed_address = listed
    from unnest(
      ${[...told.keys()]}::uuid[], ${screened.map(({ verdict }) => verdict)}::text[],
      ${screened.map(({ listedAddress }) => listedAddress ?? null)}::text[]
    ) screened (id, verdict, listed)
    where transaction.id = screened.id`)
}

/** The money is the operator's from now on. */
export async function markSeized(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update transaction set quarantine = 'seized' where id = ${id}`)
}
