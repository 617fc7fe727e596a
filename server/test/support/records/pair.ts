/** Two numbers in a table of their own, for tests of locks. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'
import type { TestDatabase } from '../database.ts'

/** Creates the table, if it is missing, and sets both numbers to 0. */
export async function createPair({ owner }: TestDatabase): Promise<void> {
  await owner.query(sql`create table if not exists pair (name text primary key, value integer not null)`)
  await owner.query(sql`grant select, update on pair to coffer_app`)
  await owner.query(
    sql`insert into pair values ('x', 0), ('y', 0) on conflict (name) do update set value = 0`,
  )
}

export async function raise(on: Queryable, name: string): Promise<void> {
  await on.query(sql`update pair set value = value + 1 where name = ${name}`)
}

export async function readPair(on: Queryable): Promise<Record<string, number>> {
  const rows = await on.query<{ name: string; value: number }>(
    sql`select name, value from pair order by name`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
