import sql from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'
import { offsetOf, type Paging } from '../http/wire.ts'
import type { EventType } from '../outbox/event.ts'

/** A delivery as its merchant may look it up, with how its last attempt went. */
export interface LoggedDelivery {
  readonly id: string
  readonly eventId: string
  readonly type: EventType
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled'
  readonly attempts: number
  readonly createdAt: Date
  /** When it is tried next; null once it has ended. */
  readonly nextAttemptAt: Date | null
  readonly endedAt: Date | null
  /** HTTP status and error of the last attempt; null before it, or where the other does not apply. */
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** One page of a merchant's deliveries, newest first, and how many there are. */
export async function listDeliveries(
  on: Queryable,
  { merchantId, states }: { readonly merchantId: string; readonly states: readonly string[] | undefined },
  paging: Paging,
): Promise<{ readonly deliveries: readonly LoggedDelivery[]; readonly total: number }> {
  const matches = sql`delivery.merchant_id = ${merchantId}
    and (${states ?? null}::text[] is null or delivery.state = any(${states ?? null}))`
  const deliveries = await on.query<LoggedDelivery>(sql`
    select delivery.id, event_id as "eventId", event.type, delivery.state, attempts, delivery.created_at as "createdAt",
      case when state = 'pending' then next_attempt_at end as "nextAttemptAt", ended_at as "endedAt",
      last.status as "lastStatus", last.error as "lastError"
    from delivery join event on event.id = event_id
    left join delivery_attempt last on last.delivery_id = delivery.id and last.number = delivery.attempts
    where ${matches}
    order by delivery.created_at desc, delivery.id desc limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*) as total from delivery where ${matches}`,
  )
  return { deliveries, total: counted?.total ?? 0 }
}

/** Adds a delivery of an event that was delivered before; false when the merchant has no such delivery. */
export async function insertRedelivery(
  on: Queryable,
  {
    id,
    deliveryId,
    merchantId,
  }: { readonly id: string; readonly deliveryId: string; readonly merchantId: string },
): Promise<boolean> {
  const rows = await on.query(sql`
    insert into delivery (id, event_id, merchant_id)
    select ${id}, event_id, merchant_id from delivery where id = ${deliveryId} and merchant_id = ${merchantId}
    on conflict (id) do update set id = excluded.id
    returning id`)
  return rows.length === 1
}
