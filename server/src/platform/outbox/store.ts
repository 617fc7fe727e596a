import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { named } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { NumberedEvent } from './event.ts'

/** The channel that tells sleeping dispatchers there is something to send. */
export const eventsChannel = 'coffer_events'

/** By so much numbers leap where history was lost: more than anybody is told in the time that is. */
const sequenceGap = 1_000_000

/**
 * Takes `count` numbers for each merchant that is not deleted and returns the last of each. Where the timeline or the
 * incarnation is another than when the merchant's last number was taken, a trigger has the numbers go on a million higher. So
 * do the first numbers of a merchant who was there before: it may have had others, with their counter, and lost both. Rows
 * are locked in the order of the ids, so that two transactions with several merchants cannot wait for each other in a circle.
 */
export async function raiseCounters(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ merchant_id: string; last_sequence: number }>(
    named(
      'outbox_raise_counters',
      sql`
        with newest as (
          select number, timeline, began_at from incarnation order by number desc limit 1
        )
        insert into event_counter as counter (merchant_id, last_sequence, timeline, incarnation)
        select merchant_id,
          count + case when exists (
            select from newest
            where timeline <> current_wal_timeline() or (number > 1 and began_at >= merchant.created_at)
          ) then ${sequenceGap} else 0 end,
          current_wal_timeline(), coalesce((select number from newest), 1)
        from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[])
          as wanted (merchant_id, count)
        join merchant on merchant.id = merchant_id
        where deleted_at is null
        order by merchant_id
        on conflict (merchant_id) do update
        set last_sequence = counter.last_sequence + excluded.last_sequence % ${sequenceGap}::bigint,
          timeline = excluded.timeline, incarnation = excluded.incarnation
        returning merchant_id, last_sequence`,
    ),
  )
  return new Map(rows.map((row) => [row.merchant_id, row.last_sequence]))
}

/** Ends the sleep of dispatchers when this transaction commits. */
export async function wakeDispatchers(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_notify(${eventsChannel}, '')`)
}

/** Inserts the events with a pending delivery each. The notification goes out with the commit. */
export async function insertEvents(tx: Tx, events: readonly NumberedEvent[]): Promise<void> {
  await tx.query(
    named(
      'outbox_insert_events',
      sql`
        with added as (
          select * from unnest(
            ${events.map((event) => event.id)}::uuid[],
            ${events.map((event) => event.merchantId)}::uuid[],
            ${events.map((event) => event.sequence)}::bigint[],
            ${events.map((event) => event.type)}::text[],
            ${events.map((event) => event.subject)}::text[],
            ${events.map((event) => event.body)}::text[],
            ${events.map(() => newId())}::uuid[]
          ) as added (id, merchant_id, sequence, type, subject, body, delivery_id)
        ), written as (
          insert into event (id, merchant_id, sequence, type, subject, body)
          select id, merchant_id, sequence, type, subject, body from added
        ), pending as (
          insert into delivery (id, event_id, merchant_id)
          select delivery_id, id, merchant_id from added
        )
        select pg_notify(${eventsChannel}, '')`,
    ),
  )
}

/**
 * Ends what is still to be sent to a merchant, whose endpoint is gone; of a long backlog a part. The rest, and a delivery
 * whose result is being written at this moment, end when their turn comes and their dispatcher finds no endpoint.
 */
export async function cancelDeliveries(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(sql`
    update delivery set state = 'cancelled', claimed_until = null, ended_at = now()
    where id in (
      select id from delivery where merchant_id = ${merchantId} and state = 'pending'
      order by next_attempt_at desc limit ${limits.deliveriesCancelledAtOnce} for update skip locked
    )`)
}
