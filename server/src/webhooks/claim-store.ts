/**
 * The SQL that selects due deliveries and claims them, that is, assigns them to a dispatcher for one attempt.
 */
import sql, { type Sql } from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'

/**
 * A delivery that one dispatcher has claimed: until `claimedUntil`, no other dispatcher may send it. The time
 * also identifies the claim.
 */
export interface ClaimedDelivery {
  readonly deliveryId: string
  readonly eventId: string
  readonly merchantId: string
  /** Number of attempts that were made before this claim. */
  readonly attempts: number
  readonly claimedUntil: Date
  readonly body: string
}

/**
 * Selects the merchants whose deliveries are claimed: those with slow endpoints if `isSlow` is true, all
 * others if not.
 */
export interface Share {
  readonly isSlow: boolean
  readonly slowMerchantIds: readonly string[]
}

export interface CandidateQuery {
  /** Only merchants with ids after this id are considered; the nil UUID selects all merchants. */
  readonly after: string
  readonly merchants: number
  readonly inFlightMax: number
  readonly share: Share
}

/** The merchants whose deliveries may be claimed, and the position at which the search for them stopped. */
export interface Candidates {
  readonly lockedIds: readonly string[]
  /**
   * The last merchant that was considered. Undefined if the search reached the end of the merchants before it
   * found as many as requested.
   */
  readonly stoppedAt: string | undefined
}

/**
 * Locks up to `merchants` merchants, in the order of their ids. Each has a due delivery and fewer deliveries
 * in flight than its maximum. Merchants that another dispatcher has locked are skipped. For each merchant
 * with pending deliveries, the query reads one index entry, for any number of pending deliveries. It reads
 * due deliveries in the order of the same index, so it never reads deliveries that have ended. The locks last
 * until the transaction ends. The commit does not wait for the disk: if a database crash loses a claim, the
 * delivery is claimed again.
 */
export async function lockCandidates(tx: Tx, query: CandidateQuery): Promise<Candidates> {
  const { after, merchants, inFlightMax, share } = query
  const rows = await tx.query<{ merchant_id: string; is_locked: boolean }>(
    named(
      'webhooks_lock_candidates',
      sql`
        with recursive backlog (merchant_id, earliest_at) as (
          (
            select merchant_id, next_attempt_at from delivery
            where state = 'pending' and merchant_id > ${after}::uuid
            order by merchant_id, next_attempt_at limit 1
          )
          union all
          select following.* from backlog cross join lateral (
            select delivery.merchant_id, next_attempt_at from delivery
            where state = 'pending' and delivery.merchant_id > backlog.merchant_id
            order by delivery.merchant_id, next_attempt_at limit 1
          ) following
        ), candidate as materialized (
          select backlog.merchant_id
          from backlog
          cross join lateral (
            select count(*) as deliveries from delivery
            where state = 'pending' and delivery.merchant_id = backlog.merchant_id and claimed_until > coffer_now()
          ) in_flight
          cross join lateral (
            select from delivery
            where state = 'pending' and delivery.merchant_id = backlog.merchant_id and next_attempt_at <= coffer_now()
              and (claimed_until is null or claimed_until <= coffer_now())
            order by next_attempt_at
            limit 1
          ) due
          where earliest_at <= coffer_now() and (backlog.merchant_id = any (${share.slowMerchantIds}::uuid[])) = ${share.isSlow}
            and in_flight.deliveries < ${mayHold(sql`backlog.merchant_id`, inFlightMax)}
          limit ${merchants}
        )
        select merchant_id,
          pg_try_advisory_xact_lock(hashtextextended('delivery:' || merchant_id::text, 0)) as is_locked
        from candidate
        cross join (select set_config('synchronous_commit', 'off', true)) quick
        order by merchant_id`,
    ),
  )
  return {
    lockedIds: rows.filter((row) => row.is_locked).map((row) => row.merchant_id),
    stoppedAt: rows.length < merchants ? undefined : rows.at(-1)?.merchant_id,
  }
}

/**
 * Returns SQL for the maximum number of a merchant's deliveries in flight. An attempt on an endpoint that
 * does not answer runs until its timeout, so some dozens of such endpoints could use up all concurrent
 * attempts. If the recent attempts on an endpoint all failed, the maximum is therefore 1 until an attempt
 * succeeds. If the endpoint asked for a pause, the maximum is 0 during the pause.
 */
function mayHold(merchantId: Sql, inFlightMax: number): Sql {
  return sql`coalesce((
    select case when rest_until > coffer_now() then 0 when failures >= ${limits.endpointFailuresAlone} then 1 else ${inFlightMax}::integer end
    from webhook_endpoint where webhook_endpoint.merchant_id = ${merchantId}
  ), ${inFlightMax}::integer)`
}

export interface ClaimQuery {
  readonly merchantIds: readonly string[]
  readonly perMerchant: number
  readonly inFlightMax: number
  readonly claimMs: number
}

/**
 * Claims deliveries of the merchants that `lockCandidates` locked. The claim is a separate statement, because
 * only a statement that begins after the lock sees every earlier claim. The number of deliveries in flight is
 * therefore exact.
 * The ids of due deliveries are collected in an array. With a join, the planner would overestimate the number
 * of ids and read the whole table.
 */
export async function claimLocked(tx: Tx, query: ClaimQuery): Promise<readonly ClaimedDelivery[]> {
  const { merchantIds, perMerchant, inFlightMax, claimMs } = query
  return tx.query<ClaimedDelivery>(
    named(
      'webhooks_claim_locked',
      sql`
        with room as (
          select merchant_id, least(${perMerchant}, ${mayHold(sql`locked.merchant_id`, inFlightMax)} - (
            select count(*) from delivery
            where state = 'pending' and delivery.merchant_id = locked.merchant_id and claimed_until > coffer_now()
          )) as deliveries
          from unnest(${merchantIds}::uuid[]) as locked (merchant_id)
        ), due as (
          select picked.id from room cross join lateral (
            select id from delivery
            where state = 'pending' and delivery.merchant_id = room.merchant_id and next_attempt_at <= coffer_now()
              and (claimed_until is null or claimed_until <= coffer_now())
            order by next_attempt_at, id
            limit greatest(room.deliveries, 0)
            for update skip locked
          ) picked
        ), claimed as (
          update delivery set claimed_until = coffer_now() + ${claimMs} * interval '1 millisecond'
          from event
          where delivery.id = any (array(select id from due)) and event.id = delivery.event_id
          returning delivery.*, event.body
        )
        select id as "deliveryId", event_id as "eventId", merchant_id as "merchantId", attempts,
          claimed_until as "claimedUntil", body
        from claimed order by merchant_id, next_attempt_at, id`,
    ),
  )
}
