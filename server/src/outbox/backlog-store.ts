import sql from 'sql-template-tag'
import { one, type Queryable } from '../db/pool.ts'

/** How many deliveries are still to be made. */
export async function countBacklog(on: Queryable): Promise<number> {
  const row = await one<{ count: number }>(
    on,
    sql`select count(*) as count from delivery where state = 'pending'`,
  )
  return row?.count ?? 0
}
