/**
 * A primary with a streaming standby, from the PostgreSQL that ships with Coffer. Clients connect to one
 * address, which leads to the standby after a failover. The stream to the standby can be stopped, so that
 * later commits are lost.
 */
import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, vi } from 'vitest'
import { freePort } from '../../src/core/free-port.ts'
import { silentLog } from '../../src/core/log.ts'
import { prepareBinaries } from '../../src/platform/db/embedded/binaries.ts'
import { type Credentials, readOrMakeCredentials } from '../../src/platform/db/embedded/credentials.ts'
import { initialiseCluster } from '../../src/platform/db/embedded/initialise-cluster.ts'
import { chooseLocation, type ServerLocation } from '../../src/platform/db/embedded/location.ts'
import { startPostmaster } from '../../src/platform/db/embedded/postmaster.ts'
import { appRole, provision, serverUrls } from '../../src/platform/db/embedded/provision.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { kill, processesIn } from './coffer-process.ts'
import type { DatabaseUrls } from './database.ts'
import { startFaultProxy } from './fault-proxy.ts'

export interface ReplicatedDatabase {
  /** The URLs of the current primary, before and after a failover. */
  readonly urls: DatabaseUrls
  /** Resolves once the standby has everything that is committed now. */
  caughtUp(): Promise<void>
  /** Stops the stream. Later commits do not reach the standby, and the primary does not wait for it. */
  holdUpStream(): void
  /**
   * Ends the primary, promotes the standby and routes new connections to it. If the primary's process is
   * killed, its connections close. If its host loses power, they stay open and get no answer.
   */
  failOver(how?: Fall): Promise<void>
  stop(): Promise<void>
}

export type Fall = 'killed' | 'without power'

/** Settings that are unsafe if the host crashes. A test loses data only by the failover, never by a disk. */
const settings = { fsync: 'off', full_page_writes: 'off', wal_keep_size: '512MB', max_connections: '100' }

/** Starts both servers, with a migrated database. */
async function startReplicated(): Promise<ReplicatedDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-standby-'))
  await chmod(dataDir, 0o755)
  const end = async () => {
    for (const pid of processesIn(dataDir)) kill(pid)
    await vi.waitUntil(() => processesIn(dataDir).length === 0, { timeout: 10_000 })
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  const location = await chooseLocation(dataDir, dataDir)
  const credentials = await readOrMakeCredentials(dataDir, false)
  const native = await prepareBinaries(location)
  await initialiseCluster(location, native, credentials.superuser)
  const logPath = join(dataDir, 'primary.log')
  const primary = await startPostmaster({ location, native, logPath, settings }, await freePort())
  const direct = serverUrls(primary.port, credentials)
  await provision(direct, credentials)
  await migrate({ ownerUrl: direct.owner, appRole, log: silentLog })
  const stream = await startFaultProxy(`http://127.0.0.1:${primary.port}`)
  const parts = { dataDir, location, credentials, native, direct }
  const standby = await startStandby(parts, Number(new URL(stream.url).port))
  const door = await openDoor(primary.port)
  const caughtUp = async () => {
    const [{ lsn }] = await ask<{ lsn: string }>(direct.superuser, 'select pg_current_wal_lsn() as lsn')
    const behind = `select pg_last_wal_replay_lsn() >= '${lsn}' as done`
    await vi.waitUntil(async () => (await ask<{ done: boolean }>(standby.url, behind))[0].done, {
      timeout: 30_000,
    })
  }
  await caughtUp()
  return {
    urls: serverUrls(door.port, credentials),
    caughtUp,
    holdUpStream: () => stream.set({ type: 'half-open' }),
    failOver: async (how = 'killed') => {
      if (how === 'without power') door.goSilent()
      for (const pid of processesIn(location.cluster)) kill(pid)
      await vi.waitUntil(() => processesIn(location.cluster).length === 0, { timeout: 10_000 })
      await ask(standby.url, 'select pg_promote()')
      door.leadTo(standby.port)
    },
    stop: async () => {
      await door.close()
      await stream.close()
      await end()
    },
  }
}

/** Starts replicated databases for one test file and stops them after it. */
export function useReplicated(): { start(): Promise<ReplicatedDatabase> } {
  const started: ReplicatedDatabase[] = []
  afterAll(async () => {
    for (const one of started) await one.stop()
  })
  return {
    start: async () => {
      const one = await startReplicated()
      started.push(one)
      return one
    },
  }
}

interface StandbyParts {
  readonly dataDir: string
  readonly location: ServerLocation
  readonly credentials: Credentials
  readonly native: string
  readonly direct: ReturnType<typeof serverUrls>
}

/**
 * Starts a standby on a copy of the primary's files, taken while the primary works. The standby follows the
 * primary's stream.
 */
async function startStandby(
  { dataDir, location, credentials, native, direct }: StandbyParts,
  streamPort: number,
): Promise<{ readonly port: number; readonly url: string }> {
  const cluster = join(dataDir, 'standby')
  await copyWhileItWorks(location, direct.superuser, cluster)
  const port = await freePort()
  const source = `host=127.0.0.1 port=${streamPort} user=postgres password=${credentials.superuser.reveal()}`
  const always = { listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC', jit: 'off' }
  const options = Object.entries({ ...settings, ...always, primary_conninfo: source })
  const log = await open(join(dataDir, 'standby.log'), 'a')
  spawn(
    join(native, 'bin', 'postgres'),
    ['-D', cluster, '-p', `${port}`, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...location.runAs,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', log.fd, log.fd],
    },
  ).unref()
  await log.close()
  const url = serverUrls(port, credentials).superuser
  await vi.waitUntil(
    () =>
      ask(url, 'select pg_is_in_recovery()').then(
        () => true,
        () => false,
      ),
    { timeout: 30_000 },
  )
  return { port, url }
}

/**
 * Copies a running cluster as pg_basebackup does (PostgreSQL manual, 25.3.4). The stream delivers what
 * changes meanwhile.
 */
async function copyWhileItWorks(
  { cluster, runAs }: ServerLocation,
  url: string,
  copy: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    await promisify(execFile)('cp', ['-a', cluster, copy])
    await rm(join(copy, 'postmaster.pid'))
    for (const name of await readdir(join(copy, 'pg_wal')))
      await rm(join(copy, 'pg_wal', name), { recursive: true })
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    for (const [name, text] of [
      ['backup_label', String(rows[0]?.labelfile)],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(copy, name), text)
      if (runAs !== undefined) await chown(join(copy, name), runAs.uid, runAs.gid)
    }
  } finally {
    await client.end()
  }
}

async function ask<R extends object>(url: string, text: string): Promise<[R, ...R[]]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<R>(text)).rows as [R, ...R[]]
  } finally {
    await client.end().catch(() => {})
  }
}

interface Door {
  readonly port: number
  /** Stops answering on all open connections, without closing them. */
  goSilent(): void
  /** Ends every connection that is not silent, and leads new ones to another port. */
  leadTo(port: number): void
  close(): Promise<void>
}

/** Opens a fixed address, as a virtual IP or a proxy provides in production. */
async function openDoor(first: number): Promise<Door> {
  let target = first
  const sockets = new Set<Socket>()
  const silent = new Set<Socket>()
  const pairs = new Map<Socket, Socket>()
  const cut = () => {
    for (const socket of sockets) if (!silent.has(socket)) socket.destroy()
  }
  const goSilent = () => {
    for (const [client, other] of pairs) {
      silent.add(client)
      client.unpipe().resume()
      other.unpipe().destroy()
    }
  }
  const server = createServer((client) => {
    const other = connect(target, '127.0.0.1')
    pairs.set(client, other)
    for (const [end, opposite] of [
      [client, other],
      [other, client],
    ] as const) {
      sockets.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        sockets.delete(end)
        pairs.delete(client)
        if (!silent.has(opposite)) opposite.destroy()
      })
      end.pipe(opposite)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    goSilent,
    leadTo: (port) => {
      target = port
      cut()
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
