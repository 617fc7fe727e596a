import sql from 'sql-template-tag'
import { one, type Queryable } from '../platform/db/pool.ts'
import { offsetOf, type Paging } from '../platform/http/wire.ts'
import type { EventType } from '../platform/outbox/event.ts'

/** A delivery as its merchant may look it up, with how its last attempt went. */
export interface LoggedDelivery {
  readonly id: string
  readonly eventId: string
  readonly type: EventType
  readonly sequence: number
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

const logColumns = sql`
  delivery.id, event_id as "eventId", event.type, event.sequence, delivery.state, attempts,
  delivery.created_at as "createdAt", case when state = 'pending' then next_attempt_at end as "nextAttemptAt",
  ended_at as "endedAt", last.status as "lastStatus", last.error as "lastError"`

/** One page of a merchant's deliveries, newest first, and how many there are. */
export async function listDeliveries(
  on: Queryable,
  { merchantId, states }: { readonly merchantId: string; readonly states: readonly string[] | undefined },
  paging: Paging,
): Promise<{ readonly deliveries: readonly LoggedDelivery[]; readonly total: number }> {
  const matches = sql`delivery.merchant_id = ${merchantId}
    and (${states ?? null}::text[] is null or delivery.state = any(${states ?? null}))`
  const deliveries = await on.query<LoggedDelivery>(sql`
    select ${logColumns}
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

/** One try at a delivery. */
export interface LoggedAttempt {
  readonly number: number
  readonly startedAt: Date
  readonly tookMs: number
  readonly status: number | null
  readonly error: string | null
  readonly excerpt: string | null
}

/** A delivery with what is sent and all its attempts. */
export interface DeliveryRecord extends LoggedDelivery {
  readonly body: string
  readonly tried: readonly LoggedAttempt[]
}

/** A delivery of the merchant; undefined where it has none of that id. */
export async function findDelivery(
  on: Queryable,
  merchantId: string,
  id: string,
): Promise<DeliveryRecord | undefined> {
  const delivery = await one<LoggedDelivery & { readonly body: string }>(
    on,
    sql`
      select ${logColumns}, event.body
      from delivery join event on event.id = event_id
      left join delivery_attempt last on last.delivery_id = delivery.id and last.number = delivery.attempts
      where delivery.id = ${id} and delivery.merchant_id = ${merchantId}`,
  )
  if (delivery === undefined) return undefined
  const tried = await on.query<LoggedAttempt>(sql`
    select number, started_at as "startedAt", took_ms as "tookMs", status, error, response_excerpt as excerpt
    from delivery_attempt where delivery_id = ${id} order by number`)
  return { ...delivery, tried }
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
