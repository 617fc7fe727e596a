/** Deliveries that are due, and the dispatcher that takes them. */
import sql, { type Sql } from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'

/** A delivery taken for one attempt. It is ours until `claimedUntil`, which also names the claim. */
export interface ClaimedDelivery {
  readonly deliveryId: string
  readonly eventId: string
  readonly merchantId: string
  /** Attempts made before this one. */
  readonly attempts: number
  readonly claimedUntil: Date
  readonly body: string
}

/** Whom to claim for: these merchants, whose endpoints are slow, or all others. */
export interface Share {
  readonly isSlow: boolean
  readonly slowMerchantIds: readonly string[]
}

export interface CandidateQuery {
  /** Merchants up to this id come later; the nil UUID starts at the front. */
  readonly after: string
  readonly merchants: number
  readonly inFlightMax: number
  readonly share: Share
}

/** Merchants that were walked past, and whom of them to claim for. */
export interface Candidates {
  readonly lockedIds: readonly string[]
  /** Where the walk stopped because it had found as many as were wanted; undefined where it came to the end. */
  readonly stoppedAt: string | undefined
}

/**
 * Locks, for claiming, up to `merchants` merchants that have a delivery due and room in flight, in the order of
 * their ids. The walk makes one index probe per merchant with anything pending, however long its backlog is; what is due
 * is looked for in its order, so that it comes from the backlog's index, never from all that was ever sent. A
 * merchant that another dispatcher is claiming for is passed over; the locks go with the transaction. Its commit does
 * not wait for the disk: a claim that a crash of the database forgets is only made again.
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
            where state = 'pending' and delivery.merchant_id = backlog.merchant_id and claimed_until > now()
          ) in_flight
          cross join lateral (
            select from delivery
            where state = 'pending' and delivery.merchant_id = backlog.merchant_id and next_attempt_at <= now()
              and (claimed_until is null or claimed_until <= now())
            order by next_attempt_at
            limit 1
          ) due
          where earliest_at <= now() and (backlog.merchant_id = any (${share.slowMerchantIds}::uuid[])) = ${share.isSlow}
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
 * How many of a merchant may be in flight. Each attempt on an endpoint that hangs takes a place of a dispatcher until its
 * time is up, so one that has only failed for a while gets one at a time until an attempt succeeds: some dozens of dead
 * endpoints would hold all places otherwise. One that asked to be left alone gets none until that time is over.
 */
function mayHold(merchantId: Sql, inFlightMax: number): Sql {
  return sql`coalesce((
    select case when rest_until > now() then 0 when failures >= ${limits.endpointFailuresAlone} then 1 else ${inFlightMax}::integer end
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
 * Claims for merchants locked by `lockCandidates`, in a statement of its own: only a snapshot taken after the lock
 * sees every claim there is, so that the count in flight is exact. The ids go through an array because the planner knows
 * how few there are in one; of a join it believes so much that it reads the whole table.
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
            where state = 'pending' and delivery.merchant_id = locked.merchant_id and claimed_until > now()
          )) as deliveries
          from unnest(${merchantIds}::uuid[]) as locked (merchant_id)
        ), due as (
          select picked.id from room cross join lateral (
            select id from delivery
            where state = 'pending' and delivery.merchant_id = room.merchant_id and next_attempt_at <= now()
              and (claimed_until is null or claimed_until <= now())
            order by next_attempt_at
            limit greatest(room.deliveries, 0)
            for update skip locked
          ) picked
        )
        update delivery set claimed_until = now() + ${claimMs} * interval '1 millisecond'
        from event
        where delivery.id = any (array(select id from due)) and event.id = delivery.event_id
        returning delivery.id as "deliveryId", delivery.event_id as "eventId",
          delivery.merchant_id as "merchantId", delivery.attempts, delivery.claimed_until as "claimedUntil",
          event.body`,
    ),
  )
}
