/** What the role that the service works as can do. */
import sql from 'sql-template-tag'
import { one, type Queryable } from './pool.ts'

/** Whether this connection could alter what is posted: it owns the journal, or was given more than `migrate` gives. */
export async function mayChangeBooks(db: Queryable): Promise<boolean> {
  const row = await one<{ may: boolean }>(
    db,
    sql`select has_table_privilege('journal', 'update') or has_table_privilege('journal', 'delete')
          or has_table_privilege('journal', 'truncate') or has_table_privilege('journal_line', 'update') as may`,
  )
  return row?.may ?? true
}
