/** Reads a database as a whole, whatever it contains. */
import sql, { raw } from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/** Returns how many deadlocks PostgreSQL has ended in this database. */
export async function countDeadlocks(on: Queryable): Promise<number> {
  const [row] = await on.query<{ deadlocks: number }>(
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  )
  return row?.deadlocks ?? Number.NaN
}

/** Returns the names of all tables, and each of their rows as text. */
export async function readEverything(
  on: Queryable,
): Promise<{ readonly tables: readonly string[]; readonly rows: readonly string[] }> {
  const tables = await on.query<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = current_schema()`,
  )
  const names = tables.map(({ name }) => name)
  const rows: string[] = []
  for (const name of names) {
    const found = await on.query<{ row: string }>(sql`select one::text as row from ${raw(`"${name}"`)} one`)
    rows.push(...found.map(({ row }) => row))
  }
  return { tables: names, rows }
}
