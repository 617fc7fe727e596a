import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { endedUnpaid } from '../ended-unpaid-store.ts'
import type { Summed } from './day-sums.ts'

/** What was approved in an asset within a day for one merchant, or to one destination. */
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

/** Not by the state alone, which a writer of the database could set to hide an order from the sums. */
const hasLeft = sql`(state in ('pending', 'completed') or not ${endedUnpaid(sql`withdrawal.id::text`)})`

/** What was approved in the last 24 hours without an operator's word and has left, or is to, on any network. */
export async function readDaySums(on: Queryable, orders: readonly Summed[]): Promise<readonly DaySum[]> {
  const merchantIds = [...new Set(orders.map(({ merchantId }) => merchantId))]
  const addresses = [...new Set(orders.map(({ address }) => address))]
  const rows = await on.query<DaySumRow>(
    named(
      'sum-approvals-of-a-day',
      sql`
      select 'merchant' as of, merchant_id::text as key, asset, sum(amount_minor) as amount from withdrawal
      where merchant_id = any (${merchantIds}::uuid[]) and approved_at > now() - interval '24 hours'
        and approved_at is not null and released_at is null and ${hasLeft}
      group by merchant_id, asset
      union all
      select 'address', address, asset, sum(amount_minor) from withdrawal
      where address = any (${addresses}::text[]) and approved_at > now() - interval '24 hours'
        and approved_at is not null and released_at is null and ${hasLeft}
      group by address, asset`,
    ),
  )
  return rows.map(({ of, key, asset, amount }) => ({ of, key, asset, amountMinor: BigInt(amount) }))
}

/**
 * Keeps other networks from approving until the transaction ends: a merchant's sum, and a destination's, are one over all
 * networks, each of which is decided on under a lease of its own.
 */
export async function lockDaySums(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('coffer/approvals', 0))`)
}
