import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'

/** An event as its merchant gets it. */
export interface Told {
  readonly type: string
  readonly merchantID: string
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
}

/** What a merchant was told, in its order: all of it, or events of the types that begin so. */
export async function toldTo(on: Queryable, merchantId: string, type = ''): Promise<readonly Told[]> {
  const rows = await on.query<{ body: string }>(sql`
    select body from event where merchant_id = ${merchantId} and starts_with(type, ${type}) order by sequence`)
  return rows.map(({ body }) => JSON.parse(body))
}
