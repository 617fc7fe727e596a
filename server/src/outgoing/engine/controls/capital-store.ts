import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'

/**
 * What of the operator's own coin is spoken for: the most that all payouts of a network that are not over can cost, and
 * what is ordered to be taken out, planned or not.
 */
export async function readCommitted(on: Queryable, network: string, coin: string): Promise<bigint> {
  const row = await one<{ committed: string }>(
    on,
    named(
      'read-committed-capital',
      sql`
      select (
        select coalesce(sum(coalesce(fee_minor, max_cost_minor)), 0) from payout
        where network = ${network} and state not in ('final', 'displaced')
      ) + (
        select coalesce(sum(amount_minor), 0) from take_out
        where asset = ${coin} and state = 'pending' and source in ('capital', 'fees')
      ) as committed`,
    ),
  )
  return BigInt(row?.committed ?? 0)
}
