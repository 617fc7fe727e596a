import sql from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, type Queryable } from '../platform/db/pool.ts'
import type { DeliveryResult, Endpoint } from './deliver.ts'

/** Returns the enabled endpoints of these merchants, by merchant. */
export async function loadEndpoints(
  on: Queryable,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, Endpoint>> {
  const rows = await on.query<Endpoint>(
    named(
      'webhooks_load_endpoints',
      sql`
        select merchant_id as "merchantId", url, sealed_secret as "sealedSecret", token,
          case when former_valid_until > coffer_now() then former_sealed_secret end as "formerSealedSecret"
        from webhook_endpoint join merchant on merchant.id = merchant_id
        where merchant_id = any(${merchantIds}::uuid[]) and disabled_at is null and deleted_at is null`,
    ),
  )
  return new Map(rows.map((row) => [row.merchantId, row]))
}

/**
 * Stores results, each with its attempt, in one statement. A result is ignored if the delivery has ended. It
 * is also ignored if its claim has expired and another dispatcher has claimed the delivery. In that case the
 * other dispatcher's result counts, even if both are in the same batch. The ids are passed as an array. With
 * a join, the planner would overestimate the number of ids and read the whole table.
 */
export async function saveResults(on: Queryable, results: readonly DeliveryResult[]): Promise<void> {
  await on.query(
    named(
      'webhooks_save_results',
      sql`
        with result as (
          select * from unnest(
            ${results.map(({ claimed }) => claimed.deliveryId)}::uuid[],
            ${results.map(({ claimed }) => claimed.claimedUntil)}::timestamptz[],
            ${results.map(({ state }) => state)}::text[],
            ${results.map(({ delayMs }) => delayMs)}::bigint[],
            ${results.map(({ attempt }) => attempt?.number)}::integer[],
            ${results.map(({ attempt }) => attempt?.startedAt)}::timestamptz[],
            ${results.map(({ attempt }) => attempt?.tookMs)}::integer[],
            ${results.map(({ attempt }) => attempt?.status)}::integer[],
            ${results.map(({ attempt }) => attempt?.error)}::text[],
            ${results.map(({ attempt }) => attempt?.excerpt)}::text[]
          ) as result (delivery_id, claimed_until, state, delay_ms, number, started_at, took_ms, status, error, excerpt)
        ), written as (
          update delivery set
            state = result.state,
            attempts = coalesce(result.number, attempts),
            next_attempt_at = coffer_now() + result.delay_ms * interval '1 millisecond',
            claimed_until = null,
            ended_at = case when result.state = 'pending' then null else coffer_now() end
          from result
          where delivery.id = any (array(select delivery_id from result))
            and delivery.id = result.delivery_id and delivery.claimed_until = result.claimed_until
            and delivery.state = 'pending'
          returning result.*
        )
        insert into delivery_attempt (delivery_id, number, started_at, took_ms, status, error, response_excerpt)
        select delivery_id, number, started_at, took_ms, status, error, excerpt
        from written
        where number is not null`,
    ),
  )
}

/**
 * Deletes up to `rows` deliveries that ended long ago, with their attempts, and returns their number. It
 * finds them by their ids, which begin with the time of creation (RFC 9562, 5.7). There is no index on the
 * time when a delivery ended, because keeping that index up to date would cost more than this query.
 */
export async function deleteOldDeliveries(on: Queryable, rows: number): Promise<number> {
  const keptMs = limits.deliveriesKeptDays * 24 * 60 * 60 * 1000
  const deleted = await on.query(sql`
    with old as (
      select id from delivery
      where id < (lpad(to_hex((extract(epoch from coffer_now()) * 1000)::bigint - ${keptMs}::bigint), 12, '0')
          || repeat('0', 20))::uuid
        and ended_at < coffer_now() - ${keptMs} * interval '1 millisecond'
      order by id limit ${rows} for update skip locked
    ), attempt as (
      delete from delivery_attempt where delivery_id = any (array(select id from old))
    )
    delete from delivery where id = any (array(select id from old)) returning 1`)
  return deleted.length
}
