/** Reads and updates deposits that are in quarantine or could not be screened yet. */
import sql, { join } from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../../platform/http/wire.ts'
import type { Verdict } from '../../screening/verdict.ts'
import type { Deposit } from '../deposit.ts'
import { type DepositRow, depositColumns, toDeposit } from '../store.ts'

/**
 * Returns the deposits with these ids in the order of their blocks. Locks them against other writers until
 * the transaction ends. Ids that do not exist are left out.
 */
export async function lockDeposits(tx: Tx, ids: readonly string[]): Promise<readonly Deposit[]> {
  const rows = await tx.query<DepositRow>(sql`
    select ${depositColumns} from deposit where id = any(${[...ids]}::uuid[])
    order by block_height, block_position, id for no key update`)
  return rows.map(toDeposit)
}

/**
 * Returns one page of held deposits and the number of all held deposits. The deposit that was confirmed first
 * comes first.
 */
export async function listHeld(
  on: Queryable,
  merchantId: string | undefined,
  paging: Paging,
): Promise<{ readonly held: readonly Deposit[]; readonly total: number }> {
  const conditions = [sql`quarantine = 'held'`]
  if (merchantId !== undefined) conditions.push(sql`merchant_id = ${merchantId}`)
  const where = join(conditions, ' and ')
  const rows = await on.query<DepositRow>(sql`
    select ${depositColumns} from deposit where ${where}
    order by confirmed_at, id limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(on, sql`select count(*) as total from deposit where ${where}`)
  return { held: rows.map(toDeposit), total: counted?.total ?? 0 }
}

/** A deposit in a block, with a payer that could not be screened yet. */
export interface UnscreenedDeposit {
  readonly id: string
  readonly network: string
  /** The sender, and also the signer of the transaction if the signer is not the sender. */
  readonly payers: readonly string[]
}

/**
 * Returns at most `rows` unscreened deposits with ids above `after`, in the order of ids. Deposits with
 * several senders, or without a known sender, are not returned, because an operator decides about them.
 */
export async function readUnscreened(
  on: Queryable,
  after: string,
  rows: number,
): Promise<readonly UnscreenedDeposit[]> {
  return on.query<UnscreenedDeposit>(sql`
    select id, network, array_remove(array[sender, origin], null) as payers from deposit
    where aml_verdict = 'unknown' and block_height is not null and quarantine is distinct from 'seized'
      and sender is not null and id > ${after}
    order by id limit ${rows}`)
}

/** The result of screening all payers of a deposit. */
export interface Screened {
  readonly verdict: Verdict
  /** The payer's address that is on a sanctions list; undefined if no payer is listed. */
  readonly listedAddress: string | undefined
}

/** Stores new verdicts. The keys of the map are deposit ids. */
export async function saveVerdicts(tx: Tx, verdicts: ReadonlyMap<string, Screened>): Promise<void> {
  const screened = [...verdicts.values()]
  await tx.query(sql`
    update deposit set aml_verdict = verdict, listed_address = listed
    from unnest(
      ${[...verdicts.keys()]}::uuid[], ${screened.map(({ verdict }) => verdict)}::text[],
      ${screened.map(({ listedAddress }) => listedAddress ?? null)}::text[]
    ) screened (id, verdict, listed)
    where deposit.id = screened.id`)
}

/** Marks a deposit as seized. The caller posts the journal of the seizure. */
export async function markSeized(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update deposit set quarantine = 'seized' where id = ${id}`)
}
