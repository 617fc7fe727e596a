/** Settings of PostgreSQL within a transaction. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/** Sets a setting until the transaction ends. */
export async function setLocally(on: Queryable, name: string, value: string): Promise<void> {
  await on.query(sql`select set_config(${name}, ${value}, true)`)
}

export async function settingOf(on: Queryable, name: string): Promise<string | undefined> {
  const [row] = await on.query<{ value: string }>(sql`select current_setting(${name}) as value`)
  return row?.value
}
