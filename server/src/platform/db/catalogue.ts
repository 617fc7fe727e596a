/** Reads from PostgreSQL's catalogue what backup and restore need, for the connection's current schema. */
import type pg from 'pg'

type Connection = Pick<pg.ClientBase, 'query'>

/** Returns the columns of every table, without generated columns. Tables and columns are in a fixed order. */
export async function readColumnsByTable(on: Connection): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await on.query<{ table: string; columns: string[] }>(`
    select class.relname as table, array_agg(col.attname::text order by col.attnum) as columns
    from pg_class class join pg_attribute col on col.attrelid = class.oid
    where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
      and not class.relispartition and col.attnum > 0 and not col.attisdropped and col.attgenerated = ''
    group by class.relname order by class.relname collate "C"`)
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

export async function readSequences(
  on: Connection,
): Promise<readonly { name: string; lastValue: string | null }[]> {
  const { rows } = await on.query<{ name: string; lastValue: string | null }>(`
    select sequencename as name, last_value::text as "lastValue" from pg_sequences
    where schemaname = current_schema() order by sequencename collate "C"`)
  return rows
}

/** Returns the foreign keys between different tables. */
export async function readReferences(
  on: Connection,
): Promise<readonly { readonly from: string; readonly to: string }[]> {
  const { rows } = await on.query<{ from: string; to: string }>(`
    select distinct source.relname as from, target.relname as to
    from pg_constraint con
    join pg_class source on source.oid = con.conrelid
    join pg_class target on target.oid = con.confrelid
    where con.contype = 'f' and con.conrelid <> con.confrelid
      and source.relnamespace = current_schema()::regnamespace
    order by 1, 2`)
  return rows
}
