import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { mayChangeBooks } from '../platform/db/app-role.ts'
import { attachEmbedded } from '../platform/db/embedded/attach-embedded.ts'
import { DataDirLocked, isDataDirLocked, lockDataDir } from '../platform/db/embedded/data-dir-lock.ts'
import { hasEmbedded } from '../platform/db/embedded/place.ts'
import { startEmbedded } from '../platform/db/embedded/start-embedded.ts'
import { endAllLeases } from '../platform/db/lease.ts'
import { migrate, pendingMigrations } from '../platform/db/migrate.ts'
import { type Db, openDb } from '../platform/db/pool.ts'
import type { CloseStack } from './close-stack.ts'
import type { Config } from './settings/config.ts'

export interface DatabaseUrls {
  /** The role the service works as. */
  readonly app: string
  /** The role that owns the tables. */
  readonly owner: string
  /** The role that may make databases on the embedded server; the owner where no more is known. */
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
  /** Called when the embedded server is gone and does not come back. */
  onLost(error: Error): void
}

/**
 * The database of a starting Coffer: the configured one, or the embedded server of DATA_DIR. A sandbox migrates it; in
 * production one that is not migrated, or is not safe from this process, is refused.
 */
export async function openDatabase(parts: OpenDatabaseParts): Promise<OpenDatabase> {
  const { config, log, opened } = parts
  if (config.mode === 'production') return openMigrated(parts)
  const isEmbedded = config.databaseUrl === undefined
  const urls = isEmbedded ? await startOwn(parts) : configuredUrls(config)
  await migrate({ ownerUrl: urls.owner, appRole: userOf(urls.app), log })
  const db = openDb({ url: urls.app, log })
  opened.add('database connections', () => db.close())
  // Nobody else can hold a lease on the database inside a folder that we have locked.
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
      `the database lacks ${lacking.length} migrations, ${lacking[0]} first: run "coffer migrate" as its owner. ` +
        'A start never migrates in production',
    )
  }
  if (await mayChangeBooks(db)) {
    throw new Error(
      `the role ${userOf(urls.app)} of DATABASE_URL may change what is in the books: give Coffer a role that does ` +
        'not own the tables (docs/production.md), and run "coffer migrate" with it in DATABASE_URL',
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

export function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username)
}

/**
 * Runs a command on the database, whether a Coffer is running on it or not: the configured one, the embedded server
 * of a running Coffer, or that server started for as long as the command takes.
 * @param work is told whether a Coffer may be running
 * @param mayMake whether the embedded database is made where there is none
 * @throws MigrationError where a newer Coffer migrated the database
 * @throws Error where no Coffer was ever started, unless `mayMake`
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

/** A command of an older Coffer would read and write what it misunderstands. A database that lacks migrations is let through. */
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
  throw new Error(`No Coffer was ever started in ${dataDir}: start it once, or set DATA_DIR`)
}

/**
 * Runs a command on the database of a Coffer that is stopped; one that is not there yet is made.
 * @throws MigrationError where a newer Coffer migrated the database
 * @throws DataDirLocked while one runs in DATA_DIR
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
