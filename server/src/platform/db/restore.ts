import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Log } from '../../core/log.ts'
import {
  BackupError,
  type BackupTable,
  copySettings,
  databaseIdentityTable,
  type Manifest,
  type OnProgress,
  sessionTable,
  tablesLeftOut,
  tablesWithFirstRow,
} from './backup-format.ts'
import { readColumnsByTable, readReferences } from './catalogue.ts'
import { type CheckedBackup, pourRows } from './check-backup.ts'
import { loadOrder } from './load-order.ts'
import { migrate } from './migrate.ts'
import { type AppliedMigration, migrationLock } from './migration.ts'

export interface RestoreOptions {
  readonly backup: CheckedBackup
  /** The URL of a direct connection with the role that owns the tables. */
  readonly ownerUrl: string
  /** The service's role. */
  readonly appRole: string
  readonly log: Log
  /** The folder of our migrations. */
  readonly directory?: string
  readonly onProgress?: OnProgress
}

/**
 * Loads a backup into an empty database. It creates the tables as they were in the backup, loads all rows in
 * one transaction, and then applies newer migrations.
 *
 * Foreign keys are checked during the load. The tables' own triggers are disabled, because they accepted
 * these rows when the rows were first written. `coffer verify` checks the books afterwards. The database gets
 * a new incarnation, so that addresses and event numbers assigned after the backup are never assigned again.
 * All sessions are revoked, because a session that was revoked after the backup must not become valid again.
 * @throws BackupError if the database is not empty, or has other migrations than the backup
 */
export async function restore(options: RestoreOptions): Promise<void> {
  const { backup, onProgress = () => {} } = options
  const { migrations } = backup.manifest
  await connected(options.ownerUrl, (client) => refuseOtherMigrations(client, migrations))
  await migrate({ ...options, count: migrations.length })
  await connected(options.ownerUrl, (client) => loadAll(client, backup, onProgress))
  await migrate(options)
  await connected(options.ownerUrl, beginIncarnation)
}

/**
 * Records a new incarnation, because the restored database has a break in its history. Deletes all
 * heartbeats, so that each process starts its heartbeat anew.
 */
async function beginIncarnation(client: pg.Client): Promise<void> {
  await client.query(`
    with forgotten as (delete from process_heartbeat returning beat_at)
    insert into incarnation (number, cause, system_identifier, timeline, last_seen_at)
    select coalesce(max(number), 1) + 1, 'restore', (select system_identifier::text from pg_control_system()),
      current_wal_timeline(), (select max(beat_at) from forgotten)
    from incarnation`)
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'coffer restore' })
  // Ignores the error event: a lost connection also fails the running query, and that query reports the
  // error.
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    // Closing the connection rolls back whatever was not committed.
    await client.end()
  }
}

/**
 * Rejects a database with a migration that the backup does not have. Migrations are never reverted, so the
 * database could not get the tables of the backup.
 */
async function refuseOtherMigrations(
  client: pg.Client,
  migrations: readonly AppliedMigration[],
): Promise<void> {
  const { rows: present } = await client.query<{ known: boolean }>(
    `select to_regclass('schema_migration') is not null as known`,
  )
  if (present[0]?.known !== true) return
  const { rows } = await client.query('select name, checksum from schema_migration order by name collate "C"')
  const first = migrations.slice(0, rows.length)
  if (JSON.stringify(rows) === JSON.stringify(first)) return
  throw new BackupError(
    'The database and the backup have different migrations: restore into a newly created database that was never migrated',
  )
}

async function loadAll(
  client: pg.Client,
  { folder, manifest }: CheckedBackup,
  onProgress: OnProgress,
): Promise<void> {
  await client.query('begin')
  await client.query(copySettings)
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
  await refuseOtherColumns(client, manifest)
  await refuseFilled(client, manifest)
  await load(client, folder, manifest, onProgress)
  await client.query('commit')
}

async function refuseOtherColumns(client: pg.Client, { tables }: Manifest): Promise<void> {
  const columns = [...(await readColumnsByTable(client))].filter(([name]) => !tablesLeftOut.includes(name))
  if (JSON.stringify(columns) !== JSON.stringify(tables.map((table) => [table.name, table.columns]))) {
    throw new BackupError('The database and the backup have different tables or columns')
  }
}

/**
 * Rejects a database that has rows. It also locks every table, so that a Coffer that uses the database must
 * wait.
 */
async function refuseFilled(client: pg.Client, { tables }: Manifest): Promise<void> {
  for (const { name } of tables) {
    const table = client.escapeIdentifier(name)
    await client.query(`lock table ${table} in access exclusive mode`)
    if (tablesWithFirstRow.includes(name)) continue
    const { rowCount } = await client.query(`select from ${table} limit 1`)
    if (rowCount !== 0) {
      throw new BackupError(
        `The database is not empty (${name} has rows): restore into a newly created database`,
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
  for (const name of tablesWithFirstRow) {
    if (byName.has(name)) await client.query(`delete from ${client.escapeIdentifier(name)}`)
  }
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
  await client.query(`update ${databaseIdentityTable} set id = gen_random_uuid()`)
  await client.query(`update ${sessionTable} set revoked_at = now() where revoked_at is null`)
}

async function loadTable(client: pg.Client, folder: string, table: BackupTable): Promise<void> {
  const name = client.escapeIdentifier(table.name)
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(', ')
  await client.query(`alter table ${name} disable trigger user`)
  await pourRows(folder, table, client.query(copyFrom(`copy ${name} (${columns}) from stdin`)))
  await client.query(`alter table ${name} enable trigger user`)
  const { rows: counted } = await client.query<{ rows: string }>(`select count(*)::text as rows from ${name}`)
  if (counted[0]?.rows !== String(table.rows)) {
    throw new BackupError(`${table.name} has ${counted[0]?.rows} rows after loading, not ${table.rows}`)
  }
}
