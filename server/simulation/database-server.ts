/**
 * The PostgreSQL server of a simulation. What is not deterministic by itself is turned off: autovacuum,
 * parallel plans, JIT compilation and timeouts by real time. All runs of a worker use one database, one after
 * the other, because a new one would have to plan every statement again.
 */
import { access, chmod, constants, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '../src/core/log.ts'
import { appRole, databaseName, ownerRole } from '../src/platform/db/embedded/provision.ts'
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { KeptRows } from './kept-rows.ts'
import { SessionPool } from './ports/sessions.ts'

/**
 * A running PostgreSQL server with a migrated database, which serves as the template of all others. It can be sent
 * to other processes as JSON.
 */
export interface Cluster {
  readonly superuserUrl: string
  readonly appUrl: string
}

/** The databases of one worker. */
export interface DatabaseServer {
  /** Returns the database as the migrations leave it. Only one run may use it at a time. */
  open(): Promise<SimulatedDatabase>
  /** Drops the worker's database. */
  close(): Promise<void>
}

/** The database of one run. */
export interface SimulatedDatabase {
  readonly sessions: SessionPool
  /** Keeps all rows as they are. No transaction may be open. */
  snapshot(): Promise<void>
  /** Puts the kept rows back. No transaction may be open. */
  restore(): Promise<void>
}

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Enough for 16 workers.
  max_connections: '500',
  // A plan that depends on the values would depend on how often a session has run the statement.
  plan_cache_mode: 'force_generic_plan',
  // The scheduler finds deadlocks and chooses their victims.
  deadlock_timeout: '1000s',
}

/**
 * Runs after which the database is made anew. Deleted rows stay in its files, because vacuum would change the
 * statistics and with them the plans.
 */
const runsPerDatabase = 200

/** More than all processes together use at once. */
const sessionsPerDatabase = 24

/** The times that the two functions return, as the session was given them last. */
const simulatedTime = ['now', 'clock'].map(
  (name) => `create or replace function coffer_${name}() returns timestamptz
    language sql ${name === 'now' ? 'stable' : 'volatile'} parallel safe
    return timestamptz 'epoch' + current_setting('simulation.${name}_ms')::bigint * interval '1 millisecond'`,
)

/** The identity that a migration draws, which must be the same in every run. */
const fixedIdentity = `update database_identity set id = '00000000-0000-4000-8000-000000000001'`

export async function startCluster(): Promise<Cluster & { stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(await parentFolder(), 'coffer-simulation-'))
  // The server runs as another user under root, whom the mode 0700 of mkdtemp would keep out.
  await chmod(dataDir, 0o755)
  const socketDir = join(dataDir, 'socket')
  await mkdir(socketDir)
  await chmod(socketDir, 0o777)
  const server = await startEmbedded({
    dataDir,
    log: silentLog,
    settings: { ...settings, unix_socket_directories: socketDir },
    sharedDir: dataDir,
  })
  const { ownerUrl } = server
  await migrate({ ownerUrl, appRole, log: silentLog })
  await withClient(ownerUrl, async (owner) => {
    for (const statement of [...simulatedTime, fixedIdentity]) await owner.query(statement)
  })
  return {
    superuserUrl: overSocket(server.superuserUrl, socketDir),
    appUrl: overSocket(server.appUrl, socketDir),
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Opens a worker's own databases on the server. */
export async function openDatabaseServer({ superuserUrl, appUrl }: Cluster): Promise<DatabaseServer> {
  const admin = new pg.Client({ connectionString: onDatabase(superuserUrl, 'postgres') })
  await admin.connect()
  let current: (SimulatedDatabase & { readonly rows: KeptRows; readonly name: string }) | undefined
  let runs = 0

  const drop = async () => {
    if (current === undefined) return
    await current.sessions.close()
    await current.rows.close()
    await admin.query(`drop database if exists ${current.name} with (force)`)
    current = undefined
  }
  const make = async (name: string) => {
    await admin.query(
      `create database ${name} template ${databaseName} strategy file_copy owner ${ownerRole}`,
    )
    const url = onDatabase(superuserUrl, name)
    const rows = await KeptRows.open(url)
    await rows.keep('base')
    const sessions = await SessionPool.open(onDatabase(appUrl, name), url, sessionsPerDatabase)
    const snapshot = () => rows.keep('snapshot')
    return { name, rows, sessions, snapshot, restore: () => rows.putBack('snapshot') }
  }
  return {
    open: async () => {
      if (runs % runsPerDatabase === 0) await drop()
      runs += 1
      if (current === undefined) current = await make(`run_${process.pid}_${runs}`)
      else await current.rows.putBack('base')
      return current
    },
    close: async () => {
      await drop()
      await admin.end()
    },
  }
}

/** Returns a folder in memory where there is one, because the database is only written and never kept. */
async function parentFolder(): Promise<string> {
  const inMemory = '/dev/shm'
  const isUsable = await access(inMemory, constants.W_OK).then(
    () => true,
    () => false,
  )
  return isUsable ? inMemory : tmpdir()
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function onDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Returns a URL that reaches the server through its socket, which takes less time than TCP. */
function overSocket(url: string, socketDir: string): string {
  const changed = new URL(url)
  changed.searchParams.set('host', socketDir)
  return changed.href
}
