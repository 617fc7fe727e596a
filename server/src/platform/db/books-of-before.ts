/**
 * Books that a Coffer kept before its journals, deposits, quotes and addresses carried MACs. This one cannot tell them from
 * forgeries, so it neither starts on them nor brings them to its own version unless an operator means to have them adopted.
 */
import type pg from 'pg'
import { MigrationError } from './migration.ts'

/** The migration by which MACs came. */
export const macMigration = '0046-book-macs.sql'

/**
 * Looks at a database that the migration of MACs comes to next.
 * @throws MigrationError where there are books in it that nobody wants adopted, or orders that were never signed
 */
export async function refuseBooksOfBefore(
  client: pg.Client,
  { mayAdopt }: { readonly mayAdopt: boolean },
): Promise<void> {
  const { rows } = await client.query<{ has_books: boolean; pending: number }>(`
    select exists (select from journal) or exists (select from transaction) or exists (select from quote)
        or exists (select from address where assigned_at is not null) as has_books,
      (select count(*)::int from withdrawal where state = 'pending') as pending`)
  const [row] = rows
  if (row === undefined || !row.has_books) return
  if (!mayAdopt) {
    throw new MigrationError(
      'The books of this database (journals, deposits, quotes or given addresses) are from a version of Coffer in which they ' +
        'carried no MACs. Nothing was changed, and the older Coffer can still be started. To go on with these books: let ' +
        'every withdrawal end with the older Coffer, take a backup with it and stop it; then run "coffer migrate ' +
        '--books-of-before" and "coffer books-key adopt" (docs/books-key.md). Or start on an empty database',
    )
  }
  if (row.pending > 0) {
    throw new MigrationError(
      `${row.pending} withdrawals are pending, and this version pays none that it did not sign when it was ordered. Nothing ` +
        'was changed: start the older Coffer, let them be paid or cancel them, and migrate again',
    )
  }
}
