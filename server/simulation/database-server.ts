/**
 * The PostgreSQL server of a simulation. Everything in it that is not deterministic is turned off:
 * autovacuum, parallel plans, JIT compilation and timeouts by real time. All runs of a worker use the same
 * database, one after the other, because in a new database every statement would have to be planned again.
 */
import { rmSync } from 'node:fs'
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
import { SimulatedTimeline } from './simulated-timeline.ts'

/**
 * A running PostgreSQL server with a migrated database. The databases of all workers are copied from this
 * database. The value can be sent to other processes as JSON.
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
  /** Saves a copy of all rows. No transaction that has written may be open. */
  snapshot(): Promise<void>
  /** Replaces all rows by the rows of the snapshot. No transaction that has written may be open. */
  restore(): Promise<void>
  /** Restores the snapshot and raises the timeline, as if a standby that lagged behind were promoted. */
  promote(): Promise<void>
}

/** The connections that PostgreSQL accepts. It reserves three of them for superusers. */
const connectionsMax = 1000
const connectionsKept = 3

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  jit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  track_counts: 'off',
  update_process_title: 'off',
  max_parallel_workers_per_gather: '0',
  max_connections: String(connectionsMax),
  // A custom plan depends on how often a session has run the statement. Generic plans do not.
  plan_cache_mode: 'force_generic_plan',
  // The scheduler of the simulation detects deadlocks and chooses the statement to cancel.
  deadlock_timeout: '1000s',
}

/**
 * Number of runs after which the database is created again. Its files grow with every run, because deleted
 * rows are not removed. A vacuum would change the statistics and therefore the plans.
 */
const runsPerDatabase = 200

/** Seeds 5, 7 and 12 use at most 9 sessions at the same time, and seed 619 uses 30. */
const poolSize = { sessions: 24, spare: 12 }

/** Number of sessions of a worker for which the server has room: what seed 619 uses, the spare ones, and some more. */
const sessionsPerDatabaseMax = 48

/**
 * A worker's sessions, its monitor, the connections that copy rows and promote, and the connection that creates
 * databases.
 */
const connectionsPerWorker = sessionsPerDatabaseMax + 4

/** The signals that end a run, with the exit codes that shells use for them. */
const endingSignals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** The most workers that one server has connections for. */
export const workersMax = Math.floor((connectionsMax - connectionsKept) / connectionsPerWorker)

/**
 * Replacements for the two SQL functions that return the current time. They return the simulated times that
 * the session has received last, in milliseconds. A timer may end between two milliseconds.
 */
const simulatedTime = ['now', 'clock'].map(
  (name) => `create or replace function coffer_${name}() returns timestamptz
    language sql ${name === 'now' ? 'stable' : 'volatile'} parallel safe
    return timestamptz 'epoch' + current_setting('simulation.${name}_ms')::float8 * interval '1 millisecond'`,
)

/**
 * A migration generates a random identity of the database. This identity replaces it, because it must be the
 * same in every run.
 */
const fixedIdentity = `update database_identity set id = '00000000-0000-4000-8000-000000000001'`

/** Runs `work` with a new server, which ends afterwards, and also when a signal ends this process. */
export async function withCluster<T>(work: (cluster: Cluster) => Promise<T>): Promise<T> {
  let cluster: StartedCluster | undefined
  const end = (signal: keyof typeof endingSignals) => {
    cluster?.kill()
    process.exit(endingSignals[signal])
  }
  const signals = Object.keys(endingSignals) as (keyof typeof endingSignals)[]
  for (const signal of signals) process.once(signal, end)
  try {
    cluster = await startCluster()
    return await work(cluster)
  } finally {
    await cluster?.stop()
    for (const signal of signals) process.off(signal, end)
  }
}

interface StartedCluster extends Cluster {
  stop(): Promise<void>
  /** Ends the server at once and deletes its files. */
  kill(): void
}

async function startCluster(): Promise<StartedCluster> {
  const dataDir = await mkdtemp(join(await parentFolder(), 'coffer-simulation-'))
  // If this process runs as root, PostgreSQL runs as another user. That user has no access to a folder with
  // the mode 0700 of mkdtemp.
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
    kill: () => {
      try {
        process.kill(server.pid, 'SIGQUIT')
      } catch {
        // The server has ended before.
      }
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

interface OpenDatabase extends SimulatedDatabase {
  readonly name: string
  readonly rows: KeptRows
  readonly timeline: SimulatedTimeline
}

/** Opens the databases of one worker on the server. */
export async function openDatabaseServer({ superuserUrl, appUrl }: Cluster): Promise<DatabaseServer> {
  const admin = new pg.Client({ connectionString: onDatabase(superuserUrl, 'postgres') })
  await admin.connect()
  let current: OpenDatabase | undefined
  let runs = 0

  const drop = async () => {
    if (current === undefined) return
    await current.sessions.close()
    await current.rows.close()
    await current.timeline.close()
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
    const sessions = await SessionPool.open(onDatabase(appUrl, name), url, poolSize)
    const timeline = await SimulatedTimeline.open(url)
    const restore = () => rows.putBack('snapshot')
    return {
      name,
      rows,
      sessions,
      timeline,
      snapshot: () => rows.keep('snapshot'),
      restore,
      promote: async () => {
        await restore()
        await timeline.raise()
      },
    }
  }
  return {
    open: async () => {
      if (runs % runsPerDatabase === 0) await drop()
      runs += 1
      if (current === undefined) current = await make(`run_${process.pid}_${runs}`)
      else {
        await current.sessions.commitAll()
        await current.rows.putBack('base')
        await current.timeline.reset()
      }
      return current
    },
    close: async () => {
      await drop()
      await admin.end()
    },
  }
}

/** Returns a folder in memory if the host has one. The data need not survive a restart. */
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

/** Returns a URL that connects over the server's Unix socket, which is faster than TCP. */
function overSocket(url: string, socketDir: string): string {
  const changed = new URL(url)
  changed.searchParams.set('host', socketDir)
  return changed.href
}
