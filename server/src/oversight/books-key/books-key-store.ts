/** Stores the ids of the books keys, which are the keys with which the MACs in this database were made. */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

export interface NotedBooksKeys {
  readonly ids: readonly string[]
  /** Whether there are books, that is, any row that must carry a MAC. */
  readonly hasBooks: boolean
}

export async function readBooksKeys(on: Queryable): Promise<NotedBooksKeys> {
  const row = await one<{ ids: readonly string[]; has_books: boolean }>(
    on,
    sql`select array(select id from books_key order by noted_at, id) as ids,
          exists (select from journal) or exists (select from deposit) or exists (select from quote)
            or exists (select from address where assigned_at is not null)
            or exists (select from invoice where terms_mac is not null) as has_books`,
  )
  return { ids: row?.ids ?? [], hasBooks: row?.has_books ?? false }
}

/**
 * Records the id of a key before the first MAC is made with the key. Returns all recorded ids, including ids
 * that other processes record at the same time.
 */
export async function noteBooksKey(on: Queryable, id: string): Promise<readonly string[]> {
  await on.query(sql`insert into books_key (id) values (${id}) on conflict do nothing`)
  return (await readBooksKeys(on)).ids
}

/**
 * Returns the kinds of rows that carry MACs of a key; empty if there are none. Reads all books, because no
 * index helps. The query is slow, but it is needed only when an operator removes a key that was lost.
 */
export async function findCarriers(tx: Tx, id: string): Promise<readonly string[]> {
  await tx.allowStatements(0)
  const prefix = `${id}.`
  const rows = await tx.query<{ kind: string }>(sql`
    select 'journals' as kind where exists (select from journal where starts_with(mac, ${prefix}))
    union all select 'deposits' where exists (select from deposit where starts_with(mac, ${prefix}))
    union all select 'quotes' where exists (select from quote where starts_with(mac, ${prefix}))
    union all select 'addresses' where exists (select from address where starts_with(assignment_mac, ${prefix}))
    union all select 'invoices' where exists (select from invoice where starts_with(terms_mac, ${prefix}))
    union all select 'claims' where exists (select from invoice where starts_with(claim_mac, ${prefix}))
    union all select 'attributions' where exists (select from attribution where starts_with(mac, ${prefix}))
    union all select 'outcomes' where exists (
      select from missing_transfer where starts_with(outcome_mac, ${prefix}))`)
  return rows.map(({ kind }) => kind)
}

/**
 * Deletes the record of a key. Only the database role that owns the tables has the right to delete it; the
 * role of the running service has no such right.
 * @returns whether the key was recorded
 */
export async function forgetBooksKey(on: Queryable, id: string): Promise<boolean> {
  const row = await one(on, sql`delete from books_key where id = ${id} returning id`)
  return row !== undefined
}
