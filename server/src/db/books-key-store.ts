/** Under which keys the MACs of this database's books were made. */
import sql from 'sql-template-tag'
import { one, type Queryable } from './pool.ts'

export interface NotedBooksKeys {
  readonly ids: readonly string[]
  /** Whether there are journals at all. */
  readonly hasJournals: boolean
}

export async function readBooksKeys(on: Queryable): Promise<NotedBooksKeys> {
  const row = await one<{ ids: readonly string[]; has_journals: boolean }>(
    on,
    sql`select array(select id from books_key order by noted_at, id) as ids,
          exists (select from journal) as has_journals`,
  )
  return { ids: row?.ids ?? [], hasJournals: row?.has_journals ?? false }
}

/** Notes a key before the first MAC is made under it; returns all that are noted, those of others who start included. */
export async function noteBooksKey(on: Queryable, id: string): Promise<readonly string[]> {
  await on.query(sql`insert into books_key (id) values (${id}) on conflict do nothing`)
  return (await readBooksKeys(on)).ids
}
