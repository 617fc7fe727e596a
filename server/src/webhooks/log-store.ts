import sql from 'sql-template-tag'
import { one, type Queryable } from '../platform/db/pool.ts'
import { offsetOf, type Paging } from '../platform/http/wire.ts'
import type { EventType } from '../platform/outbox/event.ts'

/** A delivery as shown to its merchant, with the outcome of its last attempt. */
export interface LoggedDelivery {
  readonly id: string
  readonly eventId: string
  readonly type: EventType
  readonly sequence: number
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'cancelled'
  readonly attempts: number
  readonly createdAt: Date
  /** Time of the next attempt; null once the delivery has ended. */
  readonly nextAttemptAt: Date | null
  readonly endedAt: Date | null
  /**
   * `lastStatus` and `lastError` are the HTTP status and the error of the last attempt. Both are null before
   * the first attempt. Afterwards exactly one of them is null.
   */
  readonly lastStatus: number | null
  readonly lastError: string | null
}

const logColumns = sql`
  delivery.id, event_id as "eventId", event.type, event.sequence, delivery.state, attempts,
  delivery.created_at as "createdAt", case when state = 'pending' then next_attempt_at end as "nextAttemptAt",
  ended_at as "endedAt", last.status as "lastStatus", last.error as "lastError"`

/** Returns one page of a merchant's deliveries, newest first, and their total number. */
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

/** One attempt of a delivery. */
export interface LoggedAttempt {
  readonly number: number
  readonly startedAt: Date
  readonly tookMs: number
  readonly status: number | null
  readonly error: string | null
  readonly excerpt: string | null
}

/** A delivery with its body and all its attempts. */
export interface DeliveryRecord extends LoggedDelivery {
  readonly body: string
  readonly tried: readonly LoggedAttempt[]
}

/** Returns a delivery of the merchant, or undefined if the merchant has no delivery with that id. */
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

/**
 * Adds another delivery of the event that the delivery `deliveryId` belongs to. Returns false if the merchant
 * has no delivery with this id.
 */
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
