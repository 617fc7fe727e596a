/** Decides whether coin that contracts send is found by comparing balances, and not as a missed payment. */
import sql from 'sql-template-tag'
import type { ChainReader } from '../../chains/port.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'

/**
 * Returns true while blocks are read without call traces, and afterwards until all addresses were compared once.
 * Meanwhile addresses may hold more coin than is booked, and `recovery/found-by-balance` books it. Also returns true
 * on networks of tokens alone, where coin is not booked.
 */
export async function isCoinLate(
  on: Queryable,
  { network, traits, tokens }: Pick<ChainReader, 'network' | 'traits' | 'tokens'>,
): Promise<boolean> {
  if (!traits.seesInternalTransfers || tokens !== undefined) return true
  const row = await one(
    on,
    sql`select block.height from block left join balance_pass pass on pass.network = block.network
        where block.network = ${network} and traced_by = 'none' and block.height > coalesce(pass.covered_height, -1)
        limit 1`,
  )
  return row !== undefined
}
