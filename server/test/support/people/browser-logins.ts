/** Reads how long browser logins remain valid, by the clock of the database. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/**
 * Returns the latest browser login, with the seconds until it ends if unused, and until it ends in any case.
 */
export async function latestBrowserLogin(
  on: Queryable,
): Promise<{ readonly id: string; readonly idle_s: number; readonly absolute_s: number }> {
  const [row] = await on.query<{ id: string; idle_s: number; absolute_s: number }>(sql`
    select id, extract(epoch from idle_expires_at - now())::float8 as idle_s,
      extract(epoch from expires_at - now())::float8 as absolute_s
    from session where cookie_hash is not null order by created_at desc, id desc limit 1`)
  return row ?? { id: '', idle_s: 0, absolute_s: 0 }
}

/** Returns the minutes, rounded, until an unused login ends. */
export async function minutesUntilIdle(on: Queryable, sessionId: string): Promise<number | undefined> {
  const [row] = await on.query<{ minutes: number }>(sql`
    select round(extract(epoch from idle_expires_at - now()) / 60)::int as minutes
    from session where id = ${sessionId}`)
  return row?.minutes
}
