import sql from 'sql-template-tag'
import { named, type Queryable } from '../../db/pool.ts'

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
}

interface FeedRow {
  readonly last: number
  readonly sequence: number | null
  readonly body: string | null
}

/**
 * A merchant's events after a number. Numbers have no gaps and commit in their order, so that what is looked through can
 * be bounded by numbers, and nothing comes later below the newest that is seen.
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
        ), found as (
          select sequence, body from event
          where merchant_id = ${merchantId} and sequence > ${after}::bigint
            and sequence <= ${after}::bigint + ${scannedMax}::bigint
            and (${types}::text[] is null or type = any(${types}::text[]))
          order by sequence limit ${limit}
        )
        select last, sequence, body from reached left join found on true order by sequence`,
    ),
  )
  const found = rows.flatMap(({ sequence, body }) =>
    sequence === null || body === null ? [] : [{ sequence, body }],
  )
  const last = rows[0]?.last ?? 0
  const scannedTo = Math.max(after, Math.min(after + scannedMax, last))
  const next = found.length === limit ? (found.at(-1)?.sequence ?? scannedTo) : scannedTo
  return { bodies: found.map(({ body }) => body), next, last }
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
