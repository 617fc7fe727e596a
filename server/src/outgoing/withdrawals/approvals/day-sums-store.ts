import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { endedUnpaid } from '../ended-unpaid-store.ts'
import type { Summed } from './day-sums.ts'

/** The sum that was approved in one asset within 24 hours, for one merchant or to one destination. */
export interface DaySum {
  readonly of: 'merchant' | 'address'
  readonly key: string
  readonly asset: string
  readonly amountMinor: bigint
}

interface DaySumRow {
  readonly of: DaySum['of']
  readonly key: string
  readonly asset: string
  readonly amount: string
}

/**
 * SQL condition: the order counts in the sums. The state alone does not exclude an order, because whoever can
 * write to the database could change the state to hide an order.
 */
const hasLeft = sql`(state in ('pending', 'completed') or not ${endedUnpaid(sql`withdrawal.id::text`)})`

/**
 * Sums the orders that were approved in the last 24 hours without an operator's release, on all networks.
 * Orders that ended unpaid do not count.
 */
export async function readDaySums(on: Queryable, orders: readonly Summed[]): Promise<readonly DaySum[]> {
  const merchantIds = [...new Set(orders.map(({ merchantId }) => merchantId))]
  const addresses = [...new Set(orders.map(({ address }) => address))]
  const rows = await on.query<DaySumRow>(
    named(
      'sum-approvals-of-a-day',
      sql`
      select 'merchant' as of, merchant_id::text as key, asset, sum(amount_minor) as amount from withdrawal
      where merchant_id = any (${merchantIds}::uuid[]) and approved_at > coffer_now() - interval '24 hours'
        and approved_at is not null and released_at is null and ${hasLeft}
      group by merchant_id, asset
      union all
      select 'address', address, asset, sum(amount_minor) from withdrawal
      where address = any (${addresses}::text[]) and approved_at > coffer_now() - interval '24 hours'
        and approved_at is not null and released_at is null and ${hasLeft}
      group by address, asset`,
    ),
  )
  return rows.map(({ of, key, asset, amount }) => ({ of, key, asset, amountMinor: BigInt(amount) }))
}

/**
 * Prevents approvals on other networks until the transaction ends. The sums of a merchant and of a
 * destination span all networks, but each network approves orders under a lease of its own.
 */
export async function lockDaySums(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/approvals', 0))`)
}
