/** Writes events and their pending deliveries, and allocates each merchant's event numbers. */
import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { named } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { NumberedEvent } from './event.ts'

/** The notification channel that wakes sleeping dispatchers when there is something to send. */
export const eventsChannel = 'coffer_events'

/**
 * The unit of gaps in a merchant's event numbers. It is larger than the number of events that a merchant can
 * have received in the time that was lost.
 */
const sequenceGap = 1_000_000

/**
 * Allocates `count` numbers for each merchant that is not deleted, and returns the last number of each
 * merchant.
 *
 * A trigger leaves a gap of two million numbers for each incarnation that was recorded since the merchant's
 * last event. If the timeline has changed and its incarnation is not recorded yet, the trigger leaves one
 * million; the other million follows with the first event after the record. The numbers in a gap may belong to
 * events that were lost.
 *
 * A merchant without a counter may have lost its counter. This statement leaves the gap then, as if the
 * counter had been 0 in the incarnation in which the merchant was created. Counters are locked in the order of the merchants' ids, so
 * that two transactions with several merchants cannot deadlock.
 */
export async function raiseCounters(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ merchant_id: string; last_sequence: number }>(
    named(
      'outbox_raise_counters',
      sql`
        with newest as (select coalesce(max(number), 1) as number from incarnation)
        insert into event_counter as counter (merchant_id, last_sequence, timeline, incarnation)
        select merchant_id,
          count + ${sequenceGap} * (event_number_million(newest.number, current_wal_timeline())
            - event_number_million(coalesce(birth.number, 1), coalesce(birth.timeline, current_wal_timeline()))),
          current_wal_timeline(), newest.number
        from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[])
          as wanted (merchant_id, count)
        join merchant on merchant.id = merchant_id
        cross join newest
        left join lateral (
          select number, timeline from incarnation
          where number = 1 or began_at < merchant.created_at order by number desc limit 1
        ) birth on true
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

/** Wakes sleeping dispatchers when this transaction commits. */
export async function wakeDispatchers(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_notify(${eventsChannel}, '')`)
}

/** Returns those of the subjects for which an event is stored. */
export async function findSubjects(tx: Tx, subjects: readonly string[]): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set()
  const rows = await tx.query<{ subject: string }>(
    named(
      'outbox_find_subjects',
      sql`select subject from event where subject = any (${[...subjects]}::text[])`,
    ),
  )
  return new Set(rows.map(({ subject }) => subject))
}

/** Inserts the events with one pending delivery each. The commit notifies sleeping dispatchers. */
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
 * Cancels up to `deliveriesCancelledAtOnce` pending deliveries to a merchant whose endpoint was deleted.
 * Skips deliveries that another transaction has locked, for example to write their result. All remaining
 * deliveries end when they are due, because the dispatcher then finds no endpoint.
 */
export async function cancelDeliveries(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(sql`
    update delivery set state = 'cancelled', claimed_until = null, ended_at = coffer_now()
    where id in (
      select id from delivery where merchant_id = ${merchantId} and state = 'pending'
      order by next_attempt_at desc, id desc limit ${limits.deliveriesCancelledAtOnce} for update skip locked
    )`)
}
