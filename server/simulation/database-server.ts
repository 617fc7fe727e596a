/**
 * The PostgreSQL server of a simulation. What is not deterministic by itself is turned off: autovacuum,
 * parallel plans, JIT compilation and timeouts by real time. Each run works on a copy of one template.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '../src/core/log.ts'
import { appRole, databaseName, ownerRole } from '../src/platform/db/embedded/provision.ts'
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts'
import { migrate } from '../src/platform/db/migrate.ts'

export interface DatabaseServer {
  /** Copies the template. */
  copy(): Promise<DatabaseCopy>
  stop(): Promise<void>
}

export interface DatabaseCopy {
  readonly name: string
  readonly appUrl: string
  readonly superuserUrl: string
  /** Keeps a copy of the database as it is. There must be no session. */
  snapshot(): Promise<void>
  /** Puts the kept copy in its place. There must be no session. */
  restore(): Promise<void>
  drop(): Promise<void>
}

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_connections: '100',
  // A plan that depends on the values would depend on how often a session has run the statement.
  plan_cache_mode: 'force_generic_plan',
  // The scheduler finds deadlocks and chooses their victims.
  deadlock_timeout: '1000s',
}

/** The times that the two functions return, as the session was given them last. */
const simulatedTime = ['now', 'clock'].map(
  (name) => `create or replace function coffer_${name}() returns timestamptz
    language sql ${name === 'now' ? 'stable' : 'volatile'} parallel safe
    return timestamptz 'epoch' + current_setting('simulation.${name}_ms')::bigint * interval '1 millisecond'`,
)

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-simulation-'))
  // The server runs as another user under root, whom the mode 0700 of mkdtemp would keep out.
  await chmod(dataDir, 0o755)
  const server = await startEmbedded({ dataDir, log: silentLog, settings })
  const { superuserUrl, ownerUrl, appUrl } = server
  await migrate({ ownerUrl, appRole, log: silentLog })
  await withClient(ownerUrl, async (owner) => {
    for (const statement of simulatedTime) await owner.query(statement)
  })
  const admin = new pg.Client({ connectionString: onDatabase(superuserUrl, 'postgres') })
  await admin.connect()
  let copies = 0
  return {
    copy: async () => {
      copies += 1
      const name = `run_${copies}`
      const kept = `${name}_kept`
      const make = async (made: string, template: string) => {
        await admin.query(`drop database if exists ${made} with (force)`)
        await admin.query(
          `create database ${made} template ${template} strategy file_copy owner ${ownerRole}`,
        )
      }
      await make(name, databaseName)
      return {
        name,
        appUrl: onDatabase(appUrl, name),
        superuserUrl: onDatabase(superuserUrl, name),
        snapshot: () => make(kept, name),
        restore: () => make(name, kept),
        drop: async () => {
          for (const one of [name, kept]) await admin.query(`drop database if exists ${one} with (force)`)
        },
      }
    },
    stop: async () => {
      await admin.end()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
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
