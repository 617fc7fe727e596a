import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'

/**
 * Returns the amount of the operator's own coin that is already committed. It includes all open transactions
 * of the network at their fee, or at their maximum cost until the fee is known. It also includes all pending
 * treasury withdrawals of capital or fees.
 */
export async function readCommitted(on: Queryable, network: string, coin: string): Promise<bigint> {
  const row = await one<{ committed: string }>(
    on,
    named(
      'read-committed-capital',
      sql`
      select (
        select coalesce(sum(coalesce(fee_minor, max_cost_minor)), 0) from outgoing_transaction
        where network = ${network} and state not in ('final', 'conflicted')
      ) + (
        select coalesce(sum(amount_minor), 0) from treasury_withdrawal
        where asset = ${coin} and state = 'pending' and source in ('capital', 'fees')
      ) as committed`,
    ),
  )
  return BigInt(row?.committed ?? 0)
}
