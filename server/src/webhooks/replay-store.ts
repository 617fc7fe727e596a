import sql from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { ReplayOrder } from './replay.ts'

/** Between two events of a replay: at most 500 a second of one merchant become due. */
const apartMs = 2

export interface InsertedReplay {
  readonly count: number
  /** How many of them were not queued under this order before. */
  readonly queued: number
  readonly next: number | null
}

/**
 * Adds a delivery for each event of the stretch, at most `rowsMax`. Each has an id made of the order and the event, so that
 * an order that is run again adds nothing.
 */
export async function insertReplay(
  tx: Tx,
  { id, merchantId, after, toSequence }: ReplayOrder,
  rowsMax: number,
): Promise<InsertedReplay> {
  const row = await one<InsertedReplay>(
    tx,
    sql`
      with reached as (
        select least(coalesce(max(last_sequence), 0), ${toSequence ?? null}::bigint) as upto
        from event_counter where merchant_id = ${merchantId}
      ), chosen as (
        select id, sequence from event
        where merchant_id = ${merchantId} and sequence > ${after}::bigint and sequence <= (select upto from reached)
        order by sequence limit ${rowsMax}
      ), added as (
        insert into delivery (id, event_id, merchant_id, next_attempt_at)
        select md5(${id}::text || chosen.id::text)::uuid, chosen.id, ${merchantId},
          now() + (sequence - ${after}::bigint - 1) * ${apartMs} * interval '1 millisecond'
        from chosen
        on conflict (id) do nothing
        returning id
      )
      select (select count(*) from chosen) as count, (select count(*) from added) as queued,
        (select case when max(sequence) < (select upto from reached) then max(sequence) end from chosen) as next`,
  )
  return row ?? { count: 0, queued: 0, next: null }
}

/** How many deliveries a merchant still has before it, counted to `countMax`. */
export async function countPending(on: Queryable, merchantId: string, countMax: number): Promise<number> {
  const row = await one<{ count: number }>(
    on,
    sql`
      select count(*) as count from (
        select from delivery where merchant_id = ${merchantId} and state = 'pending' limit ${countMax}
      ) pending`,
  )
  return row?.count ?? 0
}
