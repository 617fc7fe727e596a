import sql from 'sql-template-tag'
import { one, type Queryable } from '../platform/db/pool.ts'

/** How many deliveries are still to be made. */
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
  /** Null where nothing is due. */
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

/** What is still to be delivered, and by whom most of it is awaited. */
export async function readBacklog(on: Queryable): Promise<Backlog> {
  const totals = await one<Omit<Backlog, 'merchants'>>(
    on,
    sql`
      select count(*) as pending, count(due_at) as due,
        extract(epoch from now() - min(due_at))::float8 as "oldestDueSeconds"
      from (
        -- What an endpoint asked not to be sent yet is not due, whatever its own time.
        select case when next_attempt_at <= now() and (rest_until > now()) is not true then next_attempt_at end as due_at
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
