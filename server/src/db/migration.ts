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
}

export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
}

/** This database and this code do not fit together; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** The same from src/db and from dist/db: the SQL files are shipped as sources. */
export const migrationsDirectory = fileURLToPath(new URL('../../src/db/migrations/', import.meta.url))

/** The advisory lock that everything takes which changes the schema or fills it from a backup ("coff" in ASCII). */
export const migrationLock = 0x636f6666

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
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * What is still to be applied, in order.
 * @throws MigrationError if the database is newer than the code, or an applied file is no longer the same, or a new
 * one would run before one that is already applied.
 */
export function pendingOf(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name))
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ')
    throw new MigrationError(
      `The database is newer than this Coffer (it has ${names}): start the newer Coffer`,
    )
  }
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
  return pending
}
