import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import {
  BackupError,
  type BackupSequence,
  type BackupTable,
  backupFormat,
  copySettings,
  fileNameOf,
  type Manifest,
  manifestName,
  type OnProgress,
  RowMeter,
  tablesLeftOut,
  writeManifest,
} from './backup-format.ts'
import { readColumnsByTable, readSequences } from './catalogue.ts'
import type { AppliedMigration } from './migration.ts'
import type { Db } from './pool.ts'

/**
 * Writes all tables, as of one moment, into a new folder coffer-backup-<UTC time> in `into`. The service may
 * run meanwhile. The folder gets that name only when it is complete and on disk.
 * @returns the path of the folder
 */
export async function backup(
  db: Pick<Db, 'pool'>,
  into: string,
  onProgress: OnProgress = () => {},
): Promise<string> {
  await mkdir(into, { recursive: true })
  const client = await db.pool.connect()
  // Ignores the error event: a lost connection also fails the running query, and that query reports the
  // error.
  const ignore = () => {}
  client.on('error', ignore)
  let failure: Error | undefined
  try {
    await client.query('begin transaction isolation level repeatable read, read only')
    await client.query(copySettings)
    const path = await writeFolder(client, into, onProgress)
    await client.query('commit')
    return path
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    // After a failure, rows may still be in transit. The connection is therefore closed and not reused.
    client.release(failure)
    client.off('error', ignore)
  }
}

async function writeFolder(client: pg.PoolClient, into: string, onProgress: OnProgress): Promise<string> {
  const takenAt = await readMoment(client)
  const name = `coffer-backup-${takenAt.replaceAll(/[:.]/g, '')}`
  const draft = join(into, `.${name}.partial`)
  await mkdir(draft, { mode: 0o700 })
  try {
    const tables = await writeTables(client, draft, onProgress)
    // Sequences are not part of the snapshot. They are read after the rows, because a sequence may be ahead
    // of the ids in the rows, but must never be behind them.
    const sequences: readonly BackupSequence[] = await readSequences(client)
    const migrations = await readMigrationsApplied(client)
    const manifest: Manifest = { format: backupFormat, takenAt, migrations, tables, sequences }
    await writeText(join(draft, manifestName), writeManifest(manifest))
    await syncAll(draft)
    await rename(draft, join(into, name))
    await syncPath(into)
    return join(into, name)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function readMoment(client: pg.PoolClient): Promise<string> {
  const { rows } = await client.query<{ moment: Date }>('select now() as moment')
  const [row] = rows
  if (row === undefined) throw new BackupError('the database returned no current time')
  return row.moment.toISOString()
}

async function readMigrationsApplied(client: pg.PoolClient): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select name, checksum from schema_migration order by name collate "C"',
  )
  return rows
}

async function writeTables(
  client: pg.PoolClient,
  folder: string,
  onProgress: OnProgress,
): Promise<readonly BackupTable[]> {
  const written: BackupTable[] = []
  for (const [name, columns] of await readColumnsByTable(client)) {
    if (tablesLeftOut.includes(name)) continue
    const table = await writeTable(client, folder, name, columns)
    await onProgress({ table: name, rows: table.rows })
    written.push(table)
  }
  return written
}

async function writeTable(
  client: pg.PoolClient,
  folder: string,
  name: string,
  columns: readonly string[],
): Promise<BackupTable> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const rows = client.query(copyTo(`copy ${pg.escapeIdentifier(name)} (${list}) to stdout`))
  const meter = new RowMeter()
  const file = createWriteStream(join(folder, fileNameOf(name)), { mode: 0o600 })
  await pipeline(rows, meter, createGzip({ level: 6 }), file)
  const measured = meter.result()
  if (measured.rows !== rows.rowCount)
    throw new BackupError(`${name}: ${rows.rowCount} rows were sent, but not all were received`)
  return { name, columns, ...measured }
}

async function writeText(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

async function syncAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await syncPath(join(folder, name))
  await syncPath(folder)
}

async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
