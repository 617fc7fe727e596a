import sql from 'sql-template-tag'
import { one, type Queryable } from '../../src/platform/db/pool.ts'

/**
 * Returns how many connections to this database wait for a lock, in a statement that contains `text`. Without
 * `text` any role may ask. PostgreSQL shows statements only to the role that runs them.
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

/**
 * Lets a transaction wait for locks without a limit, for a test that decides itself when another transaction
 * releases them.
 */
export async function waitForLocks(tx: Queryable): Promise<void> {
  await tx.query(sql`set local lock_timeout = 0`)
}
