/** Migrations: plain SQL files NNNN-name.sql, forward only, in order of their number. What may run is decided here. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Migration {
  /** The file's name. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file, in hex. */
  readonly checksum: string
  /** Whether processes of the version before it go on working on the database once it is applied. */
  readonly onlyExpands: boolean
}

export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
  /** What the migration said of itself when it was applied; absent where nothing is known of that. */
  readonly onlyExpands?: boolean
}

/** This database and this code do not fit together; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** The same from src/db and from dist/db: the SQL files are shipped as sources. */
export const migrationsDirectory = fileURLToPath(
  new URL('../../../src/platform/db/migrations/', import.meta.url),
)

/** The advisory lock that everything takes which changes the schema or fills it from a backup ("coff" in ASCII). */
export const migrationLock = 0x636f6666

/** The first line of a migration that only expands. The database keeps it with the row, for versions that lack the file. */
const expandMarker = '-- expand'

const namePattern = /^(\d{4})-[a-z0-9-]+\.sql$/

/** @throws MigrationError if a file is misnamed or two share a number. */
export async function readMigrations(directory = migrationsDirectory): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Set<string>()
  for (const name of names) {
    const number = namePattern.exec(name)?.[1]
    if (number === undefined) throw new MigrationError(`${name} is not named NNNN-words-of-a-name.sql`)
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
 * What is still to be applied, in order.
 * @throws MigrationError if the database has a migration that this code does not know and that does not only expand, or
 * an applied file is no longer the same, or a new one would run before one that is already applied.
 */
export function pendingOf(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name))
  refuseContracting(unknown)
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const pending: Migration[] = []
  for (const migration of known) {
    const checksum = checksums.get(migration.name)
    if (checksum === undefined) pending.push(migration)
    else if (checksum !== migration.checksum) {
      throw new MigrationError(`${migration.name} was changed after it was applied: put it back as it was`)
    } else if (pending.length > 0) {
      throw new MigrationError(
        `${pending[0]?.name} would run after ${migration.name}: give it a higher number`,
      )
    }
  }
  refuseBefore(unknown, pending[0])
  return pending
}

/** What an unknown migration took away may be what this code relies on, unless the migration says that it took nothing. */
function refuseContracting(unknown: readonly AppliedMigration[]): void {
  const contracting = unknown.filter(({ onlyExpands = false }) => !onlyExpands)
  if (contracting.length === 0) return
  const names = contracting.map(({ name }) => name).join(', ')
  throw new MigrationError(
    `The database is newer than this Coffer: it has ${names}, which this Coffer does not know. Start the newer Coffer, ` +
      'or restore a backup that was made before the upgrade',
  )
}

/** A migration that is older than an unknown one was left out by whoever applied that one. */
function refuseBefore(unknown: readonly AppliedMigration[], next: Migration | undefined): void {
  const later = next && unknown.find(({ name }) => name > next.name)
  if (next === undefined || later === undefined) return
  throw new MigrationError(
    `${next.name} would run after ${later.name}, which this Coffer does not know: migrate with the newer Coffer`,
  )
}
