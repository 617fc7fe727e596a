import sql from 'sql-template-tag'
import { one } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** A request to send a stretch of events again. `id` names what it makes: asked again, it makes nothing more. */
export interface ReplayOrder {
  readonly id: string
  readonly merchantId: string
  /** The events behind this number. */
  readonly after: number
  /** Up to this one; to the newest when absent. */
  readonly toSequence: number | undefined
}

export interface ReplayBounds {
  /** Of one replay. */
  readonly rowsMax: number
  /** Nothing is added for a merchant that has so many deliveries before it. */
  readonly backlogMax: number
}

export interface InsertedReplay {
  /** How many deliveries there are of this order, now or from an earlier run of it. */
  readonly count: number
  /** Where the rest begins; null where nothing is left. */
  readonly next: number | null
  /** The backlog kept it from being added. */
  readonly isRefused: boolean
}

/** Between two events of a replay: it becomes due in the order of the numbers, and at most 500 a second of it. */
const apartMs = 2

/** Keeps other replays of the merchant out until the transaction ends; false where one is being added. */
export async function lockReplays(tx: Tx, merchantId: string): Promise<boolean> {
  const row = await one<{ locked: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtextextended('replay:' || ${merchantId}::text, 0)) as locked`,
  )
  return row?.locked === true
}

/**
 * Adds a delivery for each event of the stretch, up to the bound, under the lock of `lockReplays`. Each has an id made of
 * the order and the event, so that an order that is run again finds what it made and adds nothing, whatever was told
 * meanwhile. The ids begin with the order's time, as those of other deliveries do: by that old ones are found. The array
 * keeps the planner from reading all deliveries for what it takes for many.
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
        select id as event_id, sequence, row_number() over (order by sequence) as place,
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
          now() + (place - 1) * ${apartMs} * interval '1 millisecond'
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
