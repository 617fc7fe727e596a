import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import {
  BackupError,
  type BackupTable,
  copySettings,
  fileNameOf,
  incarnationTable,
  type Manifest,
  manifestName,
  type OnProgress,
  RowMeter,
  readManifest,
  tablesLeftOut,
} from './backup-format.ts'
import { readColumnsByTable, readReferences } from './catalogue.ts'
import { loadOrder } from './load-order.ts'
import { migrationLock } from './migration.ts'

export interface RestoreOptions {
  /** As the role that owns the tables, or a superuser. */
  readonly url: string
  /** A folder that `backup` made. */
  readonly folder: string
  readonly onProgress?: OnProgress
}

/**
 * Loads a backup into a freshly migrated database, in one transaction: afterwards everything is there, or nothing.
 * Foreign keys are checked while it loads; the tables' own triggers are off meanwhile, since what they guard was
 * guarded when the rows were first written (`coffer verify` proves the books afterwards). The database gets a new
 * incarnation, so that what was handed out after the backup is never handed out again.
 * @throws BackupError if the backup is damaged (nothing was touched then), made under other migrations, or the
 * database already holds something.
 */
export async function restore({ url, folder, onProgress = () => {} }: RestoreOptions): Promise<Manifest> {
  const manifest = await readFolder(folder)
  for (const table of manifest.tables) await verifyFile(folder, table)
  const client = new pg.Client({ connectionString: url, application_name: 'coffer restore' })
  // A lost connection also fails the query in hand, which is where it is reported.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin')
    await client.query(copySettings)
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await refuseOtherSchema(client, manifest)
    await refuseFilled(client, manifest)
    await load(client, folder, manifest, onProgress)
    await client.query('commit')
    return manifest
  } finally {
    // Closing the connection rolls back whatever was not committed.
    await client.end()
  }
}

async function readFolder(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: Error) => {
    throw new BackupError(`${folder} is no backup: ${error.message}`, { cause: error })
  })
  return readManifest(text)
}

async function verifyFile(folder: string, table: BackupTable): Promise<void> {
  const meter = new RowMeter()
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  await pipeline(createReadStream(pathOf(folder, table)), createGunzip(), meter, nowhere).catch(
    (error: Error) => {
      throw new BackupError(`${fileNameOf(table.name)} is damaged: ${error.message}`, { cause: error })
    },
  )
  refuseDifference(table, meter)
}

function pathOf(folder: string, { name }: BackupTable): string {
  if (basename(name) !== name) throw new BackupError(`${manifestName} names a table ${name}`)
  return join(folder, fileNameOf(name))
}

function refuseDifference({ name, rows, sha256 }: BackupTable, meter: RowMeter): void {
  const found = meter.result()
  if (found.rows === rows && found.sha256 === sha256) return
  throw new BackupError(
    `${fileNameOf(name)} is damaged: it holds ${found.rows} rows, not the ${rows} that were saved`,
  )
}

async function refuseOtherSchema(client: pg.Client, { migrations, tables }: Manifest): Promise<void> {
  const { rows: present } = await client.query<{ known: boolean }>(
    `select to_regclass('schema_migration') is not null as known`,
  )
  if (present[0]?.known !== true)
    throw new BackupError('The database has no tables yet: run coffer migrate first')
  const { rows } = await client.query('select name, checksum from schema_migration order by name collate "C"')
  if (JSON.stringify(rows) !== JSON.stringify(migrations)) {
    const names = migrations.map(({ name }) => name).join(', ')
    throw new BackupError(`The backup belongs to a Coffer with exactly these migrations: ${names}`)
  }
  const columns = [...(await readColumnsByTable(client))].filter(([name]) => !tablesLeftOut.includes(name))
  if (JSON.stringify(columns) !== JSON.stringify(tables.map((table) => [table.name, table.columns]))) {
    throw new BackupError('The database has other tables or columns than the backup')
  }
}

/** Locks every table as well: a Coffer that is running on this database waits outside. */
async function refuseFilled(client: pg.Client, { tables }: Manifest): Promise<void> {
  for (const { name } of tables) {
    const table = client.escapeIdentifier(name)
    await client.query(`lock table ${table} in access exclusive mode`)
    if (name === incarnationTable) continue
    const { rowCount } = await client.query(`select from ${table} limit 1`)
    if (rowCount !== 0) {
      throw new BackupError(
        `The database is not empty (${name} has rows): restore into a freshly migrated one`,
      )
    }
  }
}

async function load(
  client: pg.Client,
  folder: string,
  { tables, sequences }: Manifest,
  onProgress: OnProgress,
): Promise<void> {
  const byName = new Map(tables.map((table) => [table.name, table]))
  await client.query(`delete from ${incarnationTable}`)
  for (const name of loadOrder([...byName.keys()], await readReferences(client))) {
    const table = byName.get(name)
    if (table === undefined) continue
    await loadTable(client, folder, table)
    await onProgress({ table: name, rows: table.rows })
  }
  for (const { name, lastValue } of sequences) {
    if (lastValue === null) continue
    await client.query(`select setval(format('%I.%I', current_schema(), $1::text)::regclass, $2)`, [
      name,
      lastValue,
    ])
  }
  await client.query(`update ${incarnationTable} set id = gen_random_uuid()`)
}

async function loadTable(client: pg.Client, folder: string, table: BackupTable): Promise<void> {
  const name = client.escapeIdentifier(table.name)
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(', ')
  await client.query(`alter table ${name} disable trigger user`)
  const meter = new RowMeter()
  const rows = client.query(copyFrom(`copy ${name} (${columns}) from stdin`))
  await pipeline(createReadStream(pathOf(folder, table)), createGunzip(), meter, rows)
  refuseDifference(table, meter)
  await client.query(`alter table ${name} enable trigger user`)
  const { rows: counted } = await client.query<{ rows: string }>(`select count(*)::text as rows from ${name}`)
  if (counted[0]?.rows !== String(table.rows)) {
    throw new BackupError(`${table.name} has ${counted[0]?.rows} rows after loading, not ${table.rows}`)
  }
}
