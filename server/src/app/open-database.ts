/**
 * Opens the database, for the service in `openDatabase` and for commands in `withDatabase` and
 * `withStoppedDatabase`.
 */
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { mayChangeBooks } from '../platform/db/app-role.ts'
import { requireOwnTime } from '../platform/db/database-time.ts'
import { attachEmbedded } from '../platform/db/embedded/attach-embedded.ts'
import { DataDirLocked, isDataDirLocked, lockDataDir } from '../platform/db/embedded/data-dir-lock.ts'
import { hasEmbedded } from '../platform/db/embedded/location.ts'
import { startEmbedded } from '../platform/db/embedded/start-embedded.ts'
import { endAllLeases } from '../platform/db/lease.ts'
import { migrate, pendingMigrations } from '../platform/db/migrate.ts'
import { type Db, openDb } from '../platform/db/pool.ts'
import type { CloseStack } from './close-stack.ts'
import type { Config } from './settings/config.ts'

export interface DatabaseUrls {
  /** The URL with the database role of the service. */
  readonly app: string
  /** The URL with the database role that owns the tables. */
  readonly owner: string
  /**
   * The URL with the role that may create databases on the embedded server. For a configured database, the
   * same as `owner`.
   */
  readonly superuser: string
}

export interface OpenDatabase {
  readonly db: Db
  readonly urls: DatabaseUrls
}

export interface OpenDatabaseParts {
  readonly config: Config
  readonly log: Log
  readonly opened: CloseStack
  /** Is called if the embedded server has ended and cannot be restarted. */
  onLost(error: Error): void
}

/**
 * Opens the database for a start: the configured database, or the embedded server of DATA_DIR. A sandbox
 * migrates the database. Production refuses a database that lacks migrations. Production also refuses a
 * database role that may change the books.
 */
export async function openDatabase(parts: OpenDatabaseParts): Promise<OpenDatabase> {
  const { config, log, opened } = parts
  if (config.mode === 'production') return openMigrated(parts)
  const isEmbedded = config.databaseUrl === undefined
  const urls = isEmbedded ? await startOwn(parts) : configuredUrls(config)
  await migrate({ ownerUrl: urls.owner, appRole: userOf(urls.app), log })
  const db = openDb({ url: urls.app, log })
  opened.add('database connections', () => db.close())
  await requireOwnTime(db)
  // No other process can hold a lease on the embedded database, because this process has locked its folder.
  if (isEmbedded) await endAllLeases(db)
  return { db, urls }
}

async function openMigrated({ config, log, opened }: OpenDatabaseParts): Promise<OpenDatabase> {
  const urls = configuredUrls(config)
  const db = openDb({ url: urls.app, log })
  opened.add('database connections', () => db.close())
  const lacking = await pendingMigrations(db)
  if (lacking.length > 0) {
    throw new Error(
      `the database lacks ${lacking.length} migrations, starting with ${lacking[0]}: run "coffer migrate" as its owner. ` +
        'In production a start never migrates',
    )
  }
  await requireOwnTime(db)
  if (await mayChangeBooks(db)) {
    throw new Error(
      `the role ${userOf(urls.app)} of DATABASE_URL may change posted books: set DATABASE_URL to a role that does ` +
        'not own the tables (docs/production.md), and run "coffer migrate" with it',
    )
  }
  return { db, urls }
}

async function startOwn({ config, log, opened, onLost }: OpenDatabaseParts): Promise<DatabaseUrls> {
  const server = await startEmbedded({ dataDir: config.dataDir, log })
  opened.add('embedded PostgreSQL', () => server.stop())
  server.onExit(onLost)
  return { app: server.appUrl, owner: server.ownerUrl, superuser: server.superuserUrl }
}

function configuredUrls({ databaseUrl, migrationDatabaseUrl }: Config): DatabaseUrls {
  const app = required(databaseUrl, 'DATABASE_URL').reveal()
  const owner = migrationDatabaseUrl?.reveal() ?? app
  return { app, owner, superuser: owner }
}

/**
 * Checks that MIGRATION_DATABASE_URL, with the role that owns the tables, is set in production. A sandbox creates this
 * role itself.
 * @throws Error, with the remedy, if it is not set
 */
export function requireOwnerRole({ mode, migrationDatabaseUrl }: Config): void {
  if (mode !== 'production' || migrationDatabaseUrl !== undefined) return
  throw new Error('set MIGRATION_DATABASE_URL to the database, with the role that is to own its tables')
}

export function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username)
}

/**
 * Runs a command on the database, while Coffer is running or stopped. The database is the configured one, the
 * embedded server of a running Coffer, or an embedded server started for the command.
 * @param work gets the URLs and whether a Coffer may be running
 * @param mayMake whether to create the embedded database if there is none
 * @throws MigrationError if a newer Coffer migrated the database
 * @throws Error if no Coffer was ever started and `mayMake` is false
 */
export async function withDatabase<T>(
  config: Config,
  log: Log,
  work: (urls: DatabaseUrls, isRunning: boolean) => Promise<T>,
  { mayMake = false } = {},
): Promise<T> {
  const onFitting = async (urls: DatabaseUrls, isRunning: boolean) => {
    await refuseUnfitDatabase(urls, log)
    return work(urls, isRunning)
  }
  if (config.databaseUrl !== undefined) return onFitting(configuredUrls(config), true)
  if (!mayMake) await refuseNeverStarted(config.dataDir)
  try {
    return await withStoppedDatabase(config, log, (urls) => work(urls, false))
  } catch (error) {
    if (!(error instanceof DataDirLocked)) throw error
    return onFitting(await attachEmbedded(config.dataDir), true)
  }
}

/**
 * Refuses a database that a newer Coffer migrated, because this command would misread its rows. A database
 * that lacks migrations is accepted.
 */
async function refuseUnfitDatabase({ owner }: DatabaseUrls, log: Log): Promise<void> {
  const db = openDb({ url: owner, connections: 1, log })
  try {
    await pendingMigrations(db)
  } finally {
    await db.close()
  }
}

async function refuseNeverStarted(dataDir: string): Promise<void> {
  if ((await hasEmbedded(dataDir)) || isDataDirLocked(dataDir)) return
  throw new Error(`Coffer was never started in ${dataDir}: start it once, or set DATA_DIR`)
}

/**
 * Runs a command on the database of a stopped Coffer. The embedded database is created if it does not exist.
 * @throws MigrationError if a newer Coffer migrated the database
 * @throws DataDirLocked while a Coffer runs in DATA_DIR
 */
export async function withStoppedDatabase<T>(
  config: Config,
  log: Log,
  work: (urls: DatabaseUrls) => Promise<T>,
): Promise<T> {
  const onFitting = async (urls: DatabaseUrls) => {
    await refuseUnfitDatabase(urls, log)
    return work(urls)
  }
  if (config.databaseUrl !== undefined) return onFitting(configuredUrls(config))
  const release = lockDataDir(config.dataDir)
  try {
    const server = await startEmbedded({ dataDir: config.dataDir, log })
    try {
      return await onFitting({ app: server.appUrl, owner: server.ownerUrl, superuser: server.superuserUrl })
    } finally {
      await server.stop()
    }
  } finally {
    release()
  }
}
