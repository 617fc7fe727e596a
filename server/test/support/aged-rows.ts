/** Makes rows look older than they are, for jobs that only act on old rows. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'

export async function ageBlocks(on: Queryable, days: number): Promise<void> {
  await on.query(sql`update block set mined_at = mined_at - make_interval(days => ${days})`)
}

/**
 * Makes address branches look last used this many hours ago, as if the processes that opened them had ended
 * then.
 */
export async function ageBranches(on: Queryable, hours: number): Promise<void> {
  await on.query(sql`update address_branch set used_at = used_at - make_interval(hours => ${hours})`)
}

/** Makes every branch look opened before the last restart of the database server. */
export async function expireBranches(on: Queryable): Promise<void> {
  await on.query(sql`update address_branch set server_started_at = server_started_at - interval '1 day'`)
}
