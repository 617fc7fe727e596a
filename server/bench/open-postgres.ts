/** Opens the embedded PostgreSQL with fsync, as Coffer starts it. Databases are copied from prepared ones. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { required } from '../src/core/assert.ts'
import { silentLog } from '../src/core/log.ts'
import { appRole, databaseName, ownerRole } from '../src/platform/db/embedded/provision.ts'
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { type Db, openDb } from '../src/platform/db/pool.ts'
import { testMacs } from '../test/support/books-macs.ts'

export interface Postgres {
  /** Describes the server, such as "PostgreSQL 18.4, fsync on, synchronous_commit on". */
  readonly description: string
  /**
   * Copies `template` and opens the copy. The default is the empty, migrated database. Nobody may be
   * connected to the template.
   */
  copy(template?: string): Promise<OpenedDatabase>
  stop(): Promise<void>
}

export interface OpenedDatabase {
  readonly name: string
  /** A connection as the role of the service. */
  readonly db: Db
  readonly appUrl: string
  readonly ownerUrl: string
  /**
   * Brings the database into the state of one that has been in use for some time, and closes it. Only a
   * closed database can be copied.
   */
  settleAndClose(): Promise<void>
  drop(): Promise<void>
}

export async function openPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'))
  // If this process runs as root, PostgreSQL runs as another user. That user has no access to a folder with
  // the mode 0700 of mkdtemp.
  await chmod(folder, 0o755)
  const server = await startEmbedded({ dataDir: folder, log: silentLog })
  await migrate({ ownerUrl: server.ownerUrl, appRole, log: silentLog })
  const superuser = new pg.Client({ connectionString: inDatabase(server.superuserUrl, 'postgres') })
  await superuser.connect()
  let copies = 0

  const copy = async (template = databaseName): Promise<OpenedDatabase> => {
    copies += 1
    const name = `bench_${copies}`
    await superuser.query(
      `create database ${name} template ${template} strategy file_copy owner ${ownerRole}`,
    )
    const appUrl = inDatabase(server.appUrl, name)
    const ownerUrl = inDatabase(server.ownerUrl, name)
    const db = openDb({ url: appUrl, log: silentLog, macs: testMacs })
    const drop = async () => {
      await db.close()
      await superuser.query(`drop database ${name} with (force)`)
    }
    const settleAndClose = async () => {
      await db.close()
      await settle(inDatabase(server.superuserUrl, name))
    }
    return { name, db, appUrl, ownerUrl, settleAndClose, drop }
  }
  const stop = async () => {
    await superuser.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { description: await describe(superuser), copy, stop }
}

async function settle(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

async function describe(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ text: string }>(
    `select format('PostgreSQL %s, fsync %s, synchronous_commit %s', current_setting('server_version'),
       current_setting('fsync'), current_setting('synchronous_commit')) as text`,
  )
  return required(rows[0], 'the server’s description').text
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
