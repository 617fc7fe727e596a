/** Checks the privileges of the service's database role. */
import sql from 'sql-template-tag'
import { one, type Queryable } from './pool.ts'

/**
 * Returns true if the role of this connection may change posted journals. Only the owner of the table may
 * change them, or a role with more rights than `migrate` grants.
 */
export async function mayChangeBooks(db: Queryable): Promise<boolean> {
  const row = await one<{ may: boolean }>(
    db,
    sql`select has_table_privilege('journal', 'update') or has_table_privilege('journal', 'delete')
          or has_table_privilege('journal', 'truncate') or has_table_privilege('journal_line', 'update') as may`,
  )
  return row?.may ?? true
}
