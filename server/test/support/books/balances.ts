/** Reads the balances of ledger accounts. */
import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/**
 * Returns the balances of an owner's accounts by the name of the account, in the smallest unit of the asset
 * as decimal text. Without `asset` the owner must hold one asset only. Accounts with a balance of zero are
 * left out. Each balance is absolute: it does not show whether debits or credits are larger.
 */
export async function balancesOf(
  on: Queryable,
  ownerId: string,
  asset?: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await on.query<{ name: string; balance: string }>(sql`
    select name, abs(credits - debits)::text as balance from ledger_account
    where owner_id = ${ownerId} ${asset === undefined ? empty : sql`and asset = ${asset}`} and credits <> debits
    order by name`)
  return Object.fromEntries(rows.map(({ name, balance }) => [name, balance]))
}
