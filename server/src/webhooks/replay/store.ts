import sql from 'sql-template-tag'
import { one } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/**
 * A request to send a range of events again. The ids of the created deliveries are derived from `id`, so
 * repeating the request has no further effect.
 */
export interface ReplayOrder {
  readonly id: string
  readonly merchantId: string
  /** Only events with a higher sequence number are sent. */
  readonly after: number
  /** The sequence number of the last event to send. If undefined, all events up to the newest are sent. */
  readonly toSequence: number | undefined
}

export interface ReplayBounds {
  /** Maximum number of events in one replay. */
  readonly rowsMax: number
  /** If a merchant has at least this many pending deliveries, the replay is refused. */
  readonly backlogMax: number
}

export interface InsertedReplay {
  /** Number of deliveries of this request, including those that an earlier run of the same request added. */
  readonly count: number
  /** The sequence number after which the next request continues; null if no event is left. */
  readonly next: number | null
  /** True if nothing was added, because the merchant has too many pending deliveries. */
  readonly isRefused: boolean
}

/**
 * Milliseconds between the due times of two events of a replay. At most 500 events of a replay become due in
 * a second.
 */
const apartMs = 2

/**
 * Blocks other replays of the merchant until the transaction ends. Returns false if another replay holds the
 * lock.
 */
export async function lockReplays(tx: Tx, merchantId: string): Promise<boolean> {
  const row = await one<{ locked: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtextextended('replay:' || ${merchantId}::text, 0)) as locked`,
  )
  return row?.locked === true
}

/**
 * Adds a delivery for each event of the range, up to `rowsMax`. The caller must hold the lock of
 * `lockReplays`. The id of a delivery is derived from the request and the event. A repeated request therefore
 * finds its deliveries and adds nothing, even if events were appended since. Each id begins with the time of
 * the request, because old deliveries are found by the time in their ids. The ids are passed as an array,
 * because with a join the planner would read all deliveries.
 */
export async function insertReplay(
  tx: Tx,
  order: ReplayOrder,
  bounds: ReplayBounds,
): Promise<InsertedReplay> {
  const { id, merchantId, after, toSequence } = order
  const { rowsMax, backlogMax } = bounds
  const row = await one<InsertedReplay>(
    tx,
    sql`
      with reached as (
        select least(max(last_sequence), ${toSequence ?? null}::bigint) as upto
        from event_counter where merchant_id = ${merchantId}
      ), chosen as materialized (
        select id as event_id, sequence, row_number() over (order by sequence) as ordinal,
          overlay(overlay(md5(${id}::text || id::text)::uuid::text placing left(${id}::text, 15) from 1)
            placing '8' from 20)::uuid as id
        from event
        where merchant_id = ${merchantId} and sequence > ${after}::bigint and sequence <= (select upto from reached)
        order by sequence limit ${rowsMax}
      ), made as materialized (
        select chosen.sequence from delivery join chosen using (id)
        where delivery.id = any (array(select id from chosen))
      ), pending as (
        select count(*) as deliveries from (
          select from delivery where merchant_id = ${merchantId} and state = 'pending' limit ${backlogMax}
        ) counted
      ), added as (
        insert into delivery (id, event_id, merchant_id, next_attempt_at)
        select id, event_id, ${merchantId},
          coffer_now() + (ordinal - 1) * ${apartMs} * interval '1 millisecond'
        from chosen
        where not exists (select from made) and (select deliveries from pending) < ${backlogMax}
        returning event_id
      ), queued as (
        select sequence from made union all select sequence from chosen join added using (event_id)
      )
      select count(*) as count,
        case when count(*) = ${rowsMax} and max(sequence) < (select upto from reached) then max(sequence) end as next,
        count(*) = 0 and exists (select from chosen) as "isRefused"
      from queued`,
  )
  return row ?? { count: 0, next: null, isRefused: false }
}
