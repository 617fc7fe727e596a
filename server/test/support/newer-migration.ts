import sql from 'sql-template-tag'
import type { Queryable } from '../../src/platform/db/pool.ts'

export const newerMigration = '9999-of-a-newer-coffer.sql'

/** Makes the database look migrated by a newer Coffer, with a migration that changed nothing. */
export async function noteNewerMigration(
  owner: Queryable,
  { onlyExpands }: { readonly onlyExpands: boolean },
): Promise<void> {
  await owner.query(sql`
    insert into schema_migration (name, checksum, only_expands) values (${newerMigration}, '', ${onlyExpands})
    on conflict (name) do update set only_expands = excluded.only_expands`)
}
