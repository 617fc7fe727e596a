import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'

export interface StoredPause {
  /** Wrong codes in a row. */
  readonly failures: number
  /** Of the last of them, on database time. */
  readonly ageS: number
}

export function findPause(on: Queryable, accountId: string): Promise<StoredPause | undefined> {
  return one<StoredPause>(
    on,
    sql`
      select failures, extract(epoch from clock_timestamp() - failed_at)::float8 as "ageS"
      from code_pause where account_id = ${accountId}`,
  )
}

/** Counts a wrong code. After a day without one the count begins anew. */
export async function notePause(on: Queryable, accountId: string): Promise<void> {
  await on.query(sql`
    insert into code_pause as pause (account_id, failures) values (${accountId}, 1)
    on conflict (account_id) do update
      set failures = case when pause.failed_at < now() - interval '1 day' then 1 else pause.failures + 1 end,
        failed_at = now()`)
}

export async function deletePause(on: Queryable, accountId: string): Promise<void> {
  await on.query(sql`delete from code_pause where account_id = ${accountId}`)
}
