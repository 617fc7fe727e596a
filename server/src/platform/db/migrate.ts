/** Applies migrations, and grants the service's role its rights. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../core/log.ts'
import {
  type AppliedMigration,
  type Migration,
  MigrationError,
  migrationLock,
  pendingOf,
  readMigrations,
} from './migration.ts'
import type { Queryable } from './pool.ts'
import { isLockTimeout, sqlState } from './transaction.ts'

export interface MigrateOptions {
  /** The URL of a direct connection with the role that owns the tables. That role need not be a superuser. */
  readonly ownerUrl: string
  /** The service's role. It may be the role that owns the tables, which then keeps all rights. */
  readonly appRole: string
  readonly log: Log
  readonly directory?: string
  /** Applies only the first `count` migrations; all of them if absent. */
  readonly count?: number
}

/**
 * Tables in which the service's role may insert but never update or delete. It never chooses the values of
 * their identity columns, because these values tell in which order the rows were inserted.
 */
const appendOnlyTables = [
  'audit_entry',
  'books_key',
  'event_gap',
  'incarnation',
  'journal',
  'journal_line',
  'journal_seal',
  'lost_beat',
  'lost_record',
  'outgoing_halt',
  'outgoing_halt_lift',
  'own_row_entry',
  'schema_migration',
  'seal_countersignature',
  'tampering',
  'tampering_halt',
]

/**
 * Lock timeout of a migration's statements. A schema change that waits for a table blocks all later
 * statements on that table. A reader such as `verify` may lock the table for a long time. The migration
 * therefore waits only briefly, and then tries again.
 */
export const tableLockTimeoutMs = 40
const tableLockPatienceMs = 120_000
const tableLockRestMsMax = 1_000

/**
 * Applies each new migration in its own transaction, then grants the service's role its rights. Any number of
 * processes may call this at the same time.
 * @returns the names of the migrations that this call applied
 * @throws MigrationError if the database does not fit this code, or does not have the service's role
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const known = (await readMigrations(options.directory)).slice(0, options.count)
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'coffer migrate' })
  // Ignores the error event: a lost connection also fails the running query, and that query reports the
  // error.
  client.on('error', () => {})
  await client.connect()
  try {
    const applied: string[] = []
    for (;;) {
      const name = await locked(client, () => applyNext(client, known, options.appRole))
      if (name === undefined) break
      options.log.info({ migration: name }, 'migration applied')
      applied.push(name)
    }
    await locked(client, () => grant(client, options.appRole))
    return { applied }
  } finally {
    await client.end()
  }
}

/**
 * Returns the names of migrations that this code has and the database lacks.
 * @throws MigrationError if the database does not fit this code, for example because a newer Coffer migrated
 * it
 */
export async function pendingMigrations(db: Queryable, directory?: string): Promise<readonly string[]> {
  const known = await readMigrations(directory)
  const applied = await db.query<AppliedMigration>({ text: readApplied, values: [] }).catch((error) => {
    if (sqlState(error) !== undefinedTable) throw error
    return []
  })
  return pendingOf(known, applied).map(({ name }) => name)
}

const undefinedTable = '42P01'

/**
 * Reads the column only_expands through JSON, because a database that an older Coffer migrated last does not
 * have that column yet.
 */
const readApplied = `select name, checksum, coalesce((to_jsonb(applied) ->> 'only_expands')::boolean, false) as "onlyExpands"
  from schema_migration applied`

/**
 * Runs `work` in a transaction with the migration lock, and tries again after a lock timeout. The lock
 * belongs to the transaction, so it also works behind a connection pooler.
 */
async function locked<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  const giveUpAtMs = performance.now() + tableLockPatienceMs
  for (let attempt = 1; ; attempt++) {
    await client.query('begin')
    try {
      await client.query('set local statement_timeout = 0')
      await client.query('set local lock_timeout = 0')
      await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
      await client.query(`set local lock_timeout = ${tableLockTimeoutMs}`)
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      if (!isLockTimeout(error) || performance.now() > giveUpAtMs) throw error
    }
    await sleep(Math.min(tableLockRestMsMax, 50 * attempt))
  }
}

async function applyNext(
  client: pg.Client,
  known: readonly Migration[],
  appRole: string,
): Promise<string | undefined> {
  await prepareTable(client)
  const { rows } = await client.query<AppliedMigration>(readApplied)
  const [next] = pendingOf(known, rows)
  if (next === undefined) return undefined
  await client.query(next.sql).catch((error: Error) => {
    error.message = `${next.name}: ${error.message}`
    throw error
  })
  await client.query('insert into schema_migration (name, checksum, only_expands) values ($1, $2, $3)', [
    next.name,
    next.checksum,
    next.onlyExpands,
  ])
  // After an expand-only migration, processes of the older version still run. Their writes may fire a trigger
  // that writes to a new table. The service's role therefore gets its rights on that table at once.
  if (next.onlyExpands) await grant(client, appRole)
  return next.name
}

async function prepareTable(client: pg.Client): Promise<void> {
  await client.query(`create table if not exists schema_migration (
    name text primary key,
    checksum text not null,
    applied_at timestamptz(3) not null default now(),
    only_expands boolean not null default false
  )`)
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'only_expands'`,
  )
  if (rowCount !== 0) return
  await client.query('alter table schema_migration add column only_expands boolean not null default false')
}

async function grant(client: pg.Client, appRole: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; schema: string; known: boolean }>(
    `select current_user as owner, current_schema() as schema,
       exists (select from pg_roles where rolname = $1) as known`,
    [appRole],
  )
  const [row] = rows
  if (row === undefined || row.owner === appRole) return
  if (!row.known)
    throw new MigrationError(
      `There is no role ${appRole}: create it (create role ... login) and migrate again`,
    )
  const role = client.escapeIdentifier(appRole)
  const schema = client.escapeIdentifier(row.schema)
  await client.query(`
    grant usage on schema ${schema} to ${role};
    grant select, insert, update, delete on all tables in schema ${schema} to ${role};
    grant usage, select, update on all sequences in schema ${schema} to ${role};
    revoke insert on ${schema}.schema_migration from ${role};`)
  const present = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1 and tablename = any ($2)',
    [row.schema, appendOnlyTables],
  )
  for (const { name } of present.rows) {
    const table = `${schema}.${client.escapeIdentifier(name)}`
    await client.query(`revoke update, delete, truncate on ${table} from ${role}`)
    await keepIdentity(client, { table, role })
  }
}

/**
 * Lets the role insert rows of a table only without a value for the identity column, if the table has one.
 * PostgreSQL generates such a value without a right on the sequence.
 */
async function keepIdentity(
  client: pg.Client,
  { table, role }: { readonly table: string; readonly role: string },
): Promise<void> {
  const { rows } = await client.query<{ column: string; sequence: string | null }>(
    `select quote_ident(attname) as column,
       case when attidentity <> '' then pg_get_serial_sequence($1, attname) end as sequence
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  )
  const generated = rows.flatMap(({ sequence }) => sequence ?? [])
  if (generated.length === 0) return
  const given = rows.filter(({ sequence }) => sequence === null).map(({ column }) => column)
  await client.query(`
    revoke insert on ${table} from ${role};
    grant insert (${given.join(', ')}) on ${table} to ${role};
    revoke usage, update on sequence ${generated.join(', ')} from ${role};`)
}
