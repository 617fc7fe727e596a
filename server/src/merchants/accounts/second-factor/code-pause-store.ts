import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'

export interface StoredPause {
  /** Number of consecutive wrong codes. */
  readonly failures: number
  /** Age of the last wrong code in seconds, by the database's clock. */
  readonly ageS: number
}

export function findPause(on: Queryable, accountId: string): Promise<StoredPause | undefined> {
  return one<StoredPause>(
    on,
    sql`
      select failures, extract(epoch from coffer_clock() - failed_at)::float8 as "ageS"
      from code_pause where account_id = ${accountId}`,
  )
}

/** Counts a wrong code. If the last wrong code is more than a day old, the count restarts. */
export async function notePause(on: Queryable, accountId: string): Promise<void> {
  await on.query(sql`
    insert into code_pause as pause (account_id, failures) values (${accountId}, 1)
    on conflict (account_id) do update
      set failures = case when pause.failed_at < coffer_now() - interval '1 day' then 1 else pause.failures + 1 end,
        failed_at = coffer_now()`)
}

export async function deletePause(on: Queryable, accountId: string): Promise<void> {
  await on.query(sql`delete from code_pause where account_id = ${accountId}`)
}
