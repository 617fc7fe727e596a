/**
 * Migrations are SQL files NNNN-name.sql. They are applied in the order of their numbers, never reverted and
 * never edited. The first migrations, one for each folder of server/src with tables, are the baseline. This
 * file decides which migrations may run.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Migration {
  /** The name of the file. */
  readonly name: string
  readonly sql: string
  /** The SHA-256 of the file, in hex. */
  readonly checksum: string
  /** Whether processes of the previous version keep working on the database after this migration. */
  readonly onlyExpands: boolean
}

export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
  /** Whether the migration declared itself expand-only when it was applied; absent if unknown. */
  readonly onlyExpands?: boolean
}

/** The database does not fit this version of Coffer. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** The folder of the SQL files. They are read from src/ even if the code runs from dist/. */
export const migrationsDirectory = fileURLToPath(
  new URL('../../../src/platform/db/migrations/', import.meta.url),
)

/**
 * The key of the advisory lock ("coff" in ASCII). It is taken by everything that changes the schema, or fills
 * the schema from a backup.
 */
export const migrationLock = 0x636f6666

/**
 * The first line of an expand-only migration. The row of an applied migration also says whether it is
 * expand-only, for versions of Coffer that do not have its file.
 */
const expandMarker = '-- expand'

const namePattern = /^(\d{4})-[a-z0-9-]+\.sql$/

/** @throws MigrationError if a file is misnamed, or if two files share a number */
export async function readMigrations(directory = migrationsDirectory): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Set<string>()
  for (const name of names) {
    const number = namePattern.exec(name)?.[1]
    if (number === undefined) throw new MigrationError(`${name} is not named like NNNN-words-of-a-name.sql`)
    if (numbers.has(number)) throw new MigrationError(`two migrations have the number ${number}`)
    numbers.add(number)
  }
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { name, sql, checksum, onlyExpands: sql.split('\n', 1)[0] === expandMarker }
    }),
  )
}

/**
 * Returns the migrations to apply, in order.
 * @throws MigrationError if the database is older than the baseline, if it has an unknown migration that is
 * not expand-only, if an applied file has changed, or if a new migration would run before an applied one
 */
export function pendingOf(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  refuseOlder(known, applied)
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name))
  refuseContracting(unknown)
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const pending: Migration[] = []
  for (const migration of known) {
    const checksum = checksums.get(migration.name)
    if (checksum === undefined) pending.push(migration)
    else if (checksum !== migration.checksum) {
      throw new MigrationError(
        `${migration.name} was changed after it was applied: restore its original content`,
      )
    } else if (pending.length > 0) {
      throw new MigrationError(
        `${pending[0]?.name} would run after ${migration.name}: give it a higher number`,
      )
    }
  }
  refuseBefore(unknown, pending[0])
  return pending
}

/** Rejects a database that was made before the baseline, because no migration can upgrade it. */
function refuseOlder(known: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const oldest = olderThanBaseline(known, applied)
  if (oldest === undefined) return
  throw new MigrationError(
    `The database was made by a version of Coffer before the first release: it has ${oldest}, which no migration can upgrade. ` +
      'Nothing was changed. Pay out what is owed with that version, then start this one on an empty database',
  )
}

/**
 * Returns the name of the first applied migration if the baseline was not applied. Returns undefined if it
 * was applied, or if no migration was.
 */
export function olderThanBaseline(
  known: readonly Pick<Migration, 'name'>[],
  applied: readonly Pick<AppliedMigration, 'name'>[],
): string | undefined {
  const [baseline] = known
  const names = applied.map(({ name }) => name)
  return baseline === undefined || names.includes(baseline.name) ? undefined : names.toSorted()[0]
}

/** Rejects unknown migrations that are not expand-only. They may have removed what this code needs. */
function refuseContracting(unknown: readonly AppliedMigration[]): void {
  const contracting = unknown.filter(({ onlyExpands = false }) => !onlyExpands)
  if (contracting.length === 0) return
  const names = contracting.map(({ name }) => name).join(', ')
  throw new MigrationError(
    `The database is newer than this Coffer: it has ${names}, which this Coffer does not know. Start the newer Coffer, ` +
      'or restore a backup that was made before the upgrade',
  )
}

/**
 * Rejects a new migration if an unknown migration with a higher number was applied before. The unknown
 * migration was applied by a Coffer that did not have the new one.
 */
function refuseBefore(unknown: readonly AppliedMigration[], next: Migration | undefined): void {
  const later = next && unknown.find(({ name }) => name > next.name)
  if (next === undefined || later === undefined) return
  throw new MigrationError(
    `${next.name} would run after ${later.name}, which this Coffer does not know: migrate with the newer Coffer`,
  )
}
