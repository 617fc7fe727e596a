/** Under which keys the MACs of this database's books were made. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface NotedBooksKeys {
  readonly ids: readonly string[]
  /** Whether there are books at all: anything that must carry a MAC. */
  readonly hasBooks: boolean
}

export async function readBooksKeys(on: Queryable): Promise<NotedBooksKeys> {
  const row = await one<{ ids: readonly string[]; has_books: boolean }>(
    on,
    sql`select array(select id from books_key order by noted_at, id) as ids,
          exists (select from journal) or exists (select from transaction) or exists (select from quote)
            or exists (select from address where assigned_at is not null) as has_books`,
  )
  return { ids: row?.ids ?? [], hasBooks: row?.has_books ?? false }
}

/** Notes a key before the first MAC is made under it; returns all that are noted, those of others who start included. */
export async function noteBooksKey(on: Queryable, id: string): Promise<readonly string[]> {
  await on.query(sql`insert into books_key (id) values (${id}) on conflict do nothing`)
  return (await readBooksKeys(on)).ids
}

/**
 * What carries MACs under a key, in words; empty where nothing does. Reads the books from end to end, since no index is for it:
 * it is asked where a key is missing, and nowhere else.
 */
export async function findCarriers(tx: Tx, id: string): Promise<readonly string[]> {
  await tx.allowStatements(0)
  const prefix = `${id}.`
  const rows = await tx.query<{ kind: string }>(sql`
    select 'journals' as kind where exists (select from journal where starts_with(mac, ${prefix}))
    union all select 'deposits' where exists (select from transaction where starts_with(mac, ${prefix}))
    union all select 'quotes' where exists (select from quote where starts_with(mac, ${prefix}))
    union all select 'addresses' where exists (select from address where starts_with(assignment_mac, ${prefix}))
    union all select 'claims' where exists (select from invoice where starts_with(claim_mac, ${prefix}))
    union all select 'attributions' where exists (select from attribution where starts_with(mac, ${prefix}))
    union all select 'outcomes' where exists (
      select from payout_without_transfer where starts_with(outcome_mac, ${prefix}))`)
  return rows.map(({ kind }) => kind)
}

/**
 * Forgets a key, as the role that owns the tables: the role that the service works as cannot.
 * @returns whether it was noted
 */
export async function forgetBooksKey(on: Queryable, id: string): Promise<boolean> {
  const row = await one(on, sql`delete from books_key where id = ${id} returning id`)
  return row !== undefined
}
