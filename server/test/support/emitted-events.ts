import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'

/** An event as its merchant receives it. */
export interface EmittedEvent {
  readonly type: string
  readonly merchantID: string
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
}

/** Returns a merchant's events in order: all of them, or those whose type begins with `type`. */
export async function eventsTo(
  on: Queryable,
  merchantId: string,
  type = '',
): Promise<readonly EmittedEvent[]> {
  const rows = await on.query<{ body: string }>(sql`
    select body from event where merchant_id = ${merchantId} and starts_with(type, ${type}) order by sequence`)
  return rows.map(({ body }) => JSON.parse(body))
}
