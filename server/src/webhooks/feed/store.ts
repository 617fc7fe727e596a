import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { named, type Queryable } from '../../platform/db/pool.ts'

export interface FeedQuery {
  readonly merchantId: string
  /** The sequence of the last event that the reader has. */
  readonly after: number
  readonly limit: number
  /** Only events of these types are returned; undefined selects all types. */
  readonly types: readonly string[] | undefined
  /** Maximum number of events that one query reads, including events of types that are not requested. */
  readonly scannedMax: number
}

export interface FeedPage {
  /** The texts of events as sent, ordered by sequence. */
  readonly bodies: readonly string[]
  /**
   * The sequence after which the next page begins. Every requested event up to this sequence is on this page
   * or an earlier one.
   */
  readonly next: number
  /** The sequence of the merchant's newest event. */
  readonly last: number
  /**
   * Incarnation of the database. A higher number than before means that the database's history was
   * interrupted, by a restore or by a failover that lost data.
   */
  readonly incarnation: number
  /**
   * Undefined if the database still has the event with the reader's last sequence number. Otherwise the last
   * number before the lost events: the reader has events after it that the database does not know. The
   * numbers of these lost events are never given to other events.
   */
  readonly readAgainAfter: number | undefined
}

interface FeedRow {
  readonly last: number
  readonly incarnation: number
  readonly end: number
  readonly lostAfter: number | null
  readonly sequence: number | null
  readonly body: string | null
}

/**
 * Returns a merchant's events after a sequence number. Events commit in the order of their numbers, so a
 * reader never misses an event with a lower number than one it has seen. Numbers have gaps only where history
 * was lost, so a range of numbers limits the number of events that are read. If `after` is directly before a
 * gap or in it, the range starts after the gap. The range ends before the next gap, so that no page ends in a
 * gap.
 */
export async function readFeedPage(on: Queryable, query: FeedQuery): Promise<FeedPage> {
  const { merchantId, after, limit, types = null, scannedMax } = query
  const rows = await on.query<FeedRow>(
    named(
      'webhooks_read_feed',
      sql`
        with reached as (
          select coalesce(
            (select last_sequence from event_counter where merchant_id = ${merchantId}), 0) as last
        ), began as (
          select coalesce(
            (select min(sequence) - 1 from event where merchant_id = ${merchantId} and sequence > ${after}::bigint),
            ${after}::bigint) as "begin"
        ), stretch as (
          select "begin", least(
            "begin" + ${scannedMax}::bigint,
            (select min(after_sequence) from event_gap
             where merchant_id = ${merchantId} and after_sequence > "begin")) as "end"
          from began
        ), found as (
          select sequence, body from event
          where merchant_id = ${merchantId}
            and sequence > (select "begin" from stretch) and sequence <= (select "end" from stretch)
            and (${types}::text[] is null or type = any(${types}::text[]))
          order by sequence limit ${limit}
        )
        select last, "end", sequence, body,
          coalesce((select max(number) from incarnation), 1) as incarnation,
          (select min(after_sequence) from event_gap
           where merchant_id = ${merchantId} and after_sequence < ${after}::bigint
             and resumes_after > ${after}::bigint) as "lostAfter"
        from reached cross join stretch left join found on true order by sequence`,
    ),
  )
  const found = rows.flatMap(({ sequence, body }) =>
    sequence === null || body === null ? [] : [{ sequence, body }],
  )
  const { last, incarnation, end, lostAfter } = required(rows[0], 'the stretch of the feed')
  const scannedTo = Math.max(after, Math.min(end, last))
  const next = found.length === limit ? (found.at(-1)?.sequence ?? scannedTo) : scannedTo
  const readAgainAfter = lostAfter ?? (after > last ? last : undefined)
  return { bodies: found.map(({ body }) => body), next, last, incarnation, readAgainAfter }
}

/** Returns the sequence number of the newest event of each merchant that has events. */
export async function lastSequences(
  on: Queryable,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await on.query<{ id: string; last: number }>(
    named(
      'webhooks_last_sequences',
      sql`select merchant_id as id, last_sequence as last from event_counter
          where merchant_id = any(${[...merchantIds]}::uuid[])`,
    ),
  )
  return new Map(rows.map(({ id, last }) => [id, last]))
}
