import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/** Deletes all tamperings, as if none had ever been found. */
export async function forgetTamperings(on: Queryable): Promise<void> {
  await on.query(sql`truncate tampering cascade`)
}
