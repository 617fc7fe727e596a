/** Makes rows look older than they are, for what only happens to old ones. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'

export async function ageBlocks(on: Queryable, days: number): Promise<void> {
  await on.query(sql`update block set mined_at = mined_at - make_interval(days => ${days})`)
}

/** As if the processes that opened the branches of addresses had gone so long ago. */
export async function ageBranches(on: Queryable, hours: number): Promise<void> {
  await on.query(sql`update address_branch set used_at = used_at - make_interval(hours => ${hours})`)
}

/** As if the database server had been started anew since every branch was opened. */
export async function endLifeOfBranches(on: Queryable): Promise<void> {
  await on.query(sql`update address_branch set server_started_at = server_started_at - interval '1 day'`)
}
