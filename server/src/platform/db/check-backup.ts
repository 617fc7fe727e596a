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
import { readMigrations } from './migration.ts'

/** A backup that was read from end to end and found whole; only `checkBackup` makes one. */
export interface CheckedBackup {
  readonly folder: string
  readonly manifest: Manifest
}

/**
 * Reads a whole backup without touching any database: the manifest, every row of every file, and whether this Coffer
 * knows the migrations it was made under.
 * @param directory where our migrations are
 * @throws BackupError
 */
export async function checkBackup(folder: string, directory?: string): Promise<CheckedBackup> {
  const manifest = await readFolder(folder)
  await refuseUnknownMigrations(manifest, directory)
  for (const table of manifest.tables) await pourRows(folder, table, nowhere())
  return { folder, manifest }
}

/**
 * Sends a table's rows to `target`, in the text format of COPY.
 * @throws BackupError when they are not those that were saved; all have been sent then
 */
export async function pourRows(folder: string, table: BackupTable, target: Writable | Duplex): Promise<void> {
  const meter = new RowMeter()
  await pipeline(createReadStream(pathOf(folder, table)), createGunzip(), meter, target).catch(
    (error: Error) => {
      // What the database refuses is told in its own words.
      if ('severity' in error) throw error
      throw new BackupError(`${fileNameOf(table.name)} is damaged: ${error.message}`, { cause: error })
    },
  )
  const found = meter.result()
  if (found.rows === table.rows && found.sha256 === table.sha256) return
  throw new BackupError(
    `${fileNameOf(table.name)} is damaged: it holds ${found.rows} rows, not the ${table.rows} that were saved`,
  )
}

async function readFolder(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: Error) => {
    throw new BackupError(`${folder} is no backup: ${error.message}`, { cause: error })
  })
  return readManifest(text)
}

/** Those of an older Coffer are the first of ours: the rest is applied after the rows are loaded. */
async function refuseUnknownMigrations({ migrations }: Manifest, directory?: string): Promise<void> {
  const known = await readMigrations(directory)
  for (const [place, { name, checksum }] of migrations.entries()) {
    const ours = known[place]
    if (ours?.name === name && ours.checksum === checksum) continue
    throw new BackupError(
      `The backup was made by another Coffer: it has the migration ${name}, which this one does not know in that ` +
        'place and wording. Restore it with the Coffer that made it, or a newer one',
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
