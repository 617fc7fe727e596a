import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { named, type Queryable } from '../../platform/db/pool.ts'

export interface FeedQuery {
  readonly merchantId: string
  /** The number of the last event the reader has. */
  readonly after: number
  readonly limit: number
  /** Only these; all when absent. */
  readonly types: readonly string[] | undefined
  /** How many numbers one look covers, whatever of them is of those types. */
  readonly scannedMax: number
}

export interface FeedPage {
  /** The texts of events, as they are sent, in the order of their numbers. */
  readonly bodies: readonly string[]
  /** Where to go on: every wanted event up to it is among those of this page or an earlier one. */
  readonly next: number
  /** The number of the merchant's newest event. */
  readonly last: number
  /** Of the database: a higher one says that its history was broken since, by a restore or a lossy failover. */
  readonly incarnation: number
  /**
   * Where the reader's number is of an event that the database lost: the last one before it that is still there. Events that
   * the reader has from behind it are not known here any more; no other event ever gets their numbers.
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
 * A merchant's events after a number. Numbers commit in their order and have no gaps but where history was lost, so that
 * what is looked through can be bounded by numbers, and nothing comes later below the newest that is seen. A look begins
 * behind a gap that it stands before or in, and ends before the next one, so that no page ends in a gap.
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

/** The number of the newest event of each merchant that has any. */
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
