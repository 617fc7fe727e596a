import sql from 'sql-template-tag'
import { one, type Queryable } from '../platform/db/pool.ts'

/** Returns the number of pending deliveries. */
export async function countBacklog(on: Queryable): Promise<number> {
  const row = await one<{ count: number }>(
    on,
    sql`select count(*) as count from delivery where state = 'pending'`,
  )
  return row?.count ?? 0
}

export interface Backlog {
  readonly pending: number
  readonly due: number
  /** Seconds since the oldest due delivery became due; null if no delivery is due. */
  readonly oldestDueSeconds: number | null
  readonly merchants: readonly BackloggedMerchant[]
}

export interface BackloggedMerchant {
  readonly id: string
  readonly name: string
  readonly pending: number
  readonly failingSince: Date | null
  readonly disabledAt: Date | null
}

const merchantsShown = 20

/**
 * Returns totals of the pending deliveries, and the merchants with the largest numbers of pending deliveries.
 */
export async function readBacklog(on: Queryable): Promise<Backlog> {
  const totals = await one<Omit<Backlog, 'merchants'>>(
    on,
    sql`
      select count(*) as pending, count(due_at) as due,
        extract(epoch from coffer_now() - min(due_at))::float8 as "oldestDueSeconds"
      from (
        -- While its endpoint asked for a pause, a delivery is not due, even if its own time has come.
        select case when next_attempt_at <= coffer_now() and (rest_until > coffer_now()) is not true then next_attempt_at end as due_at
        from delivery left join webhook_endpoint using (merchant_id) where state = 'pending'
      ) waiting`,
  )
  const merchants = await on.query<BackloggedMerchant>(sql`
    select merchant.id, merchant.name, waiting.pending, failing_since as "failingSince",
      disabled_at as "disabledAt"
    from (
      select merchant_id, count(*) as pending from delivery where state = 'pending'
      group by merchant_id order by count(*) desc, merchant_id limit ${merchantsShown}
    ) waiting
    join merchant on merchant.id = waiting.merchant_id
    left join webhook_endpoint on webhook_endpoint.merchant_id = merchant.id
    order by waiting.pending desc, merchant.id`)
  return { ...(totals ?? { pending: 0, due: 0, oldestDueSeconds: null }), merchants }
}
