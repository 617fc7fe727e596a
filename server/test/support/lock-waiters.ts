import sql from 'sql-template-tag'
import { one, type Queryable } from '../../src/platform/db/pool.ts'

/**
 * How many connections to this database wait for somebody's lock, in a statement that has `text` in it. Without one any
 * role may ask; what others are saying is told to their own role alone.
 */
export async function countLockWaiters(on: Queryable, text = ''): Promise<number> {
  const row = await one<{ waiters: number }>(
    on,
    sql`
    select count(distinct pid) as waiters from pg_locks join pg_stat_activity using (pid)
    where datname = current_database() and not granted and strpos(query, ${text}) > 0`,
  )
  return row?.waiters ?? 0
}
