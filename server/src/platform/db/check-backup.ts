import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Duplex, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import {
  BackupError,
  type BackupTable,
  fileNameOf,
  type Manifest,
  manifestName,
  RowMeter,
  readManifest,
} from './backup-format.ts'
import { olderThanBaseline, readMigrations } from './migration.ts'

/** A backup that was read completely and is intact. Only `checkBackup` creates one. */
export interface CheckedBackup {
  readonly folder: string
  readonly manifest: Manifest
}

/**
 * Checks a whole backup without access to a database. Reads the manifest and every row of every file, and
 * checks that this Coffer has the migrations under which the backup was made.
 * @param directory the folder of our migrations
 * @throws BackupError if the backup is damaged or was made under other migrations
 */
export async function checkBackup(folder: string, directory?: string): Promise<CheckedBackup> {
  const manifest = await readFolder(folder)
  await refuseUnknownMigrations(manifest, directory)
  for (const table of manifest.tables) await pourRows(folder, table, nowhere())
  return { folder, manifest }
}

/**
 * Sends a table's rows to `target`, in the text format of COPY.
 * @throws BackupError if the rows differ from the rows that were saved, after all of them were sent
 */
export async function pourRows(folder: string, table: BackupTable, target: Writable | Duplex): Promise<void> {
  const meter = new RowMeter()
  await pipeline(createReadStream(pathOf(folder, table)), createGunzip(), meter, target).catch(
    (error: Error) => {
      // An error of the database is thrown unchanged, to keep its message.
      if ('severity' in error) throw error
      throw new BackupError(`${fileNameOf(table.name)} is damaged: ${error.message}`, { cause: error })
    },
  )
  const found = meter.result()
  if (found.rows === table.rows && found.sha256 === table.sha256) return
  throw new BackupError(
    `${fileNameOf(table.name)} is damaged: it holds ${found.rows} rows instead of the ${table.rows} that were saved`,
  )
}

async function readFolder(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: Error) => {
    throw new BackupError(`${folder} is not a backup: ${error.message}`, { cause: error })
  })
  return readManifest(text)
}

/**
 * Checks that the migrations of the backup are the first migrations of this Coffer. The later migrations of
 * this Coffer are applied after the rows are loaded.
 */
async function refuseUnknownMigrations({ migrations }: Manifest, directory?: string): Promise<void> {
  const known = await readMigrations(directory)
  const oldest = olderThanBaseline(known, migrations)
  if (oldest !== undefined) {
    throw new BackupError(
      `The backup was made by a version of Coffer before the first release: it has ${oldest}, which no migration can upgrade. ` +
        'Restore it with that version',
    )
  }
  for (const [index, { name, checksum }] of migrations.entries()) {
    const knownName = known[index]
    if (knownName?.name === name && knownName.checksum === checksum) continue
    throw new BackupError(
      `The backup was made by another version of Coffer: this one has no migration ${name} with the same content at ` +
        'that position. Restore it with the version that made it, or a newer one',
    )
  }
}

function pathOf(folder: string, { name }: BackupTable): string {
  if (basename(name) !== name) throw new BackupError(`${manifestName} names a table ${name}`)
  return join(folder, fileNameOf(name))
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
