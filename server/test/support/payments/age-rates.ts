import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/** Makes all rates look taken this many seconds earlier, and moves them to the minute of that time. */
export async function ageRates(on: Queryable, seconds: number): Promise<void> {
  await on.query(sql`
    update rate set taken_at = taken_at - ${seconds} * interval '1 second',
      minute = date_trunc('minute', taken_at - ${seconds} * interval '1 second')`)
}
