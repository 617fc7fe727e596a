import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { isAlive } from '../../src/core/process-table.ts'
import { copyBinaries, findPackage } from '../../src/platform/db/embedded/binaries.ts'
import {
  type EmbeddedOptions,
  type EmbeddedServer,
  startEmbedded,
} from '../../src/platform/db/embedded/start-embedded.ts'

const root = process.getuid?.() === 0
const procfs = existsSync('/proc/self/stat')
const nobodyUser = 65534

let home = ''
let dataDir = ''
let servers: EmbeddedServer[] = []
let children: ChildProcess[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-embedded-'))
  await chmod(home, 0o755)
  dataDir = join(home, 'data')
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(servers.map((server) => server.stop()))
  servers = []
  children = []
  await rm(home, { recursive: true, force: true })
})

async function start(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, log: silentLog, ...options })
  servers.push(server)
  return server
}

interface ChildReport {
  readonly pid?: number
  readonly port?: number
  readonly superuserUrl?: string
  readonly refused?: string
  readonly locked?: true
}

/** Runs embedded-child.ts in a process of its own. */
function startChild(env: Record<string, string> = {}): ChildProcess {
  const script = fileURLToPath(new URL('./embedded-child.ts', import.meta.url))
  const run = `import('vite').then(({ runnerImport }) => runnerImport(${JSON.stringify(script)}, { configFile: false, logLevel: 'error' }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', run], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

async function reportOf(child: ChildProcess): Promise<ChildReport> {
  if (child.stdout === null) throw new Error('the child has no output')
  const [line] = await once(createInterface(child.stdout), 'line')
  return JSON.parse(String(line))
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

describe('startEmbedded', () => {
  it('starts a database in which its owner can create objects and the app role cannot', async () => {
    const server = await start()
    await query(server.ownerUrl, 'create table note (id int)')
    expect((await query(server.superuserUrl, 'select current_user as me')).rows).toEqual([{ me: 'postgres' }])
    await expect(query(server.appUrl, 'drop table note')).rejects.toThrow(/must be owner/)
    await expect(query(server.appUrl, 'create table other (id int)')).rejects.toThrow(/permission denied/)
  })

  it('is durable, listens on 127.0.0.1 only, and has no socket file', async () => {
    const server = await start()
    const { rows } = await query(
      server.superuserUrl,
      `select name, setting from pg_settings where name in
         ('fsync', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories', 'jit', 'data_checksums') order by 1`,
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      jit: 'off',
      listen_addresses: '127.0.0.1',
      synchronous_commit: 'on',
      unix_socket_directories: '',
    })
  })

  it('requires a password, which only the owner of its file can read and no command line shows', async (context) => {
    const server = await start()
    const path = join(dataDir, 'postgres-credentials.json')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const wrong = server.ownerUrl.replace(/:[0-9a-f]+@/, ':wrong@')
    await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/)
    if (!procfs) context.skip('this system has no /proc')
    const passwords = Object.values(JSON.parse(await readFile(path, 'utf8'))).map(String)
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      for (const password of passwords) expect(line).not.toContain(password)
    }
  })

  it('stops the server, and finds its data again on the next start', async () => {
    const first = await start()
    await query(first.ownerUrl, 'create table note as select 7 as id')
    const { pid } = first
    await first.stop()
    expect(isAlive(pid)).toBe(false)
    const second = await start()
    expect((await query(second.ownerUrl, 'select id from note')).rows).toEqual([{ id: 7 }])
  })

  it('adopts the server that a killed Coffer left running, and can stop it', async () => {
    const child = startChild()
    const orphan = await reportOf(child)
    await kill(child)
    const server = await start()
    expect({ pid: server.pid, port: server.port }).toEqual({ pid: orphan.pid, port: orphan.port })
    await query(server.ownerUrl, 'select 1')
    await server.stop()
    expect(isAlive(orphan.pid ?? 0)).toBe(false)
  })

  it('restarts an adopted server when it is killed', async () => {
    const child = startChild()
    await reportOf(child)
    await kill(child)
    const server = await start()
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => server.pid, { timeout: 10_000 }).not.toBe(pid)
    await query(server.ownerUrl, 'select 1')
  })

  it('restarts a killed server on the same port, with every acknowledged row', async () => {
    const server = await start()
    await query(server.ownerUrl, 'create table note (id int primary key)')
    const acknowledged: number[] = []
    const { pid } = server
    await writeUntilKilled(server, acknowledged)
    await expect.poll(() => server.pid, { timeout: 10_000 }).not.toBe(pid)
    const { rows } = await query(server.ownerUrl, 'select id from note')
    const present = new Set(rows.map(({ id }) => id))
    expect(acknowledged.length).toBeGreaterThan(50)
    expect(acknowledged.filter((id) => !present.has(id))).toEqual([])
  })

  it('stops after a limited number of restarts, and reports it once', async () => {
    const clock: Clock = { now: () => new Date(), sleep: async () => {} }
    const server = await start({ clock })
    const reports: Error[] = []
    server.onExit((error) => reports.push(error))
    await rename(join(dataDir, 'postgres', 'postgresql.conf'), join(home, 'postgresql.conf'))
    process.kill(server.pid, 'SIGKILL')
    await expect.poll(() => reports.length, { timeout: 20_000 }).toBe(1)
    expect(reports[0]?.message).toMatch(/stops repeatedly/)
    await server.stop()
  })

  it('leaves no process behind if it is stopped during a restart', async () => {
    const server = await start()
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
    await server.stop()
    await expect(query(server.ownerUrl, 'select 1')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('shows the end of the server’s log if the server does not start', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /invalid value for parameter "shared_buffers": "plenty"/,
    )
  })

  it('repeats an initdb that was killed half way', async () => {
    const child = startChild()
    const drafts = async () =>
      (await readdir(dataDir).catch(() => [])).filter((name) => name.startsWith('postgres.new'))
    await expect.poll(drafts, { interval: 2, timeout: 20_000 }).toHaveLength(1)
    await kill(child)
    expect(await readdir(dataDir)).not.toContain('postgres')
    const server = await start()
    await query(server.ownerUrl, 'select 1')
    expect(await drafts()).toEqual([])
  })

  it('starts although postmaster.pid names a process that is now another program', async () => {
    const first = await start()
    await first.stop()
    const stranger = spawn('sleep', ['600'], root ? { uid: nobodyUser, gid: nobodyUser } : {})
    children.push(stranger)
    await once(stranger, 'spawn')
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
    const started = Math.floor(Date.now() / 1000)
    const stale = `${stranger.pid}\n${join(dataDir, 'postgres')}\n${started}\n${first.port}\n\n127.0.0.1\n 1 1\nready\n`
    await writeFile(pidFile, stale, { mode: 0o600 })
    if (root) await (await import('node:fs/promises')).chown(pidFile, nobodyUser, nobodyUser)
    const server = await start()
    expect(server.pid).not.toBe(stranger.pid)
    await query(server.ownerUrl, 'select 1')
    expect(isAlive(stranger.pid ?? 0)).toBe(true)
  })

  it('refuses to create new passwords for a database that already has some', async () => {
    await (await start()).stop()
    await rm(join(dataDir, 'postgres-credentials.json'))
    await expect(start()).rejects.toThrow(/postgres-credentials\.json is missing.*put the file back/)
  })

  it('rotates a log above 10 MB', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'postgres.log'), '')
    await truncate(join(dataDir, 'postgres.log'), 11 * 1024 * 1024)
    await start()
    expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(1024 * 1024)
    expect(await readdir(dataDir)).toContain('postgres.log.1')
  })
})

/** Writes with eight clients until the server is killed. */
async function writeUntilKilled(server: EmbeddedServer, acknowledged: number[]): Promise<void> {
  let next = 0
  const write = async () => {
    const client = new pg.Client({ connectionString: server.ownerUrl })
    client.on('error', () => {})
    await client.connect()
    for (;;) {
      const id = next
      next += 1
      const { rowCount } = await client.query('insert into note values ($1)', [id])
      if (rowCount === 1) acknowledged.push(id)
      if (acknowledged.length === 300) process.kill(server.pid, 'SIGKILL')
    }
  }
  await Promise.allSettled(Array.from({ length: 8 }, write))
}

describe('a second Coffer on one DATA_DIR', () => {
  it('is refused with the pid of the first, which continues undisturbed', async () => {
    const first = startChild()
    const { superuserUrl } = await reportOf(first)
    const { refused } = await reportOf(startChild())
    expect(refused).toMatch(new RegExp(`already running on .*\\(pid ${first.pid}\\)`))
    await query(superuserUrl ?? '', 'select 1')
    await kill(first)
    await start()
  })

  it('gets the lock of a dead process alone, if several start at once', async () => {
    await mkdir(dataDir)
    await writeFile(
      join(dataDir, 'coffer.lock'),
      JSON.stringify({ pid: 2 ** 22 + 1, birth: null, nonce: 'a' }),
    )
    const reports = await Promise.all(
      Array.from({ length: 5 }, () => reportOf(startChild({ LOCK_ONLY: '1' }))),
    )
    expect(reports.filter(({ locked }) => locked)).toHaveLength(1)
    expect(reports.filter(({ refused }) => refused?.includes('already running'))).toHaveLength(4)
  })
})

describe('the binaries', () => {
  it('run from a copy that lacks the links of the package’s install script', async () => {
    const copy = await copyBinaries(findPackage(`${process.platform}-${process.arch}`), home)
    const { entries, list } = await linksOf(copy)
    for (const target of list) expect(entries).toContain(target)
    const run = spawn(
      join(copy, 'bin', 'postgres'),
      ['--version'],
      root ? { uid: nobodyUser, gid: nobodyUser } : {},
    )
    expect(await once(run, 'exit')).toEqual([0, null])
  })
})

async function linksOf(native: string): Promise<{ entries: string[]; list: string[] }> {
  const list: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  const entries = (await readdir(join(native, 'lib'))).map((name) => `native/lib/${name}`)
  return { entries, list: list.map(({ target }) => target) }
}

describe.skipIf(!root)('as root, in a DATA_DIR that others cannot enter (skipped unless run as root)', () => {
  beforeEach(async () => {
    await mkdir(dataDir, { mode: 0o700 })
  })
  const sharedDir = () => join(home, 'shared')

  it('keeps the cluster elsewhere, records where, and finds it again', async () => {
    const first = await start({ sharedDir: sharedDir() })
    await query(first.ownerUrl, 'create table note as select 7 as id')
    await first.stop()
    const pointer = (await readFile(join(dataDir, 'postgres-location'), 'utf8')).trim()
    expect(pointer.startsWith(sharedDir())).toBe(true)
    expect((await stat(join(pointer, 'postgres'))).uid).toBe(nobodyUser)
    const second = await start({ sharedDir: join(home, 'not-looked-at') })
    expect((await query(second.ownerUrl, 'select id from note')).rows).toEqual([{ id: 7 }])
  })

  it('refuses to start with an empty cluster if the recorded one is gone', async () => {
    await (await start({ sharedDir: sharedDir() })).stop()
    await rm(sharedDir(), { recursive: true })
    await expect(start({ sharedDir: sharedDir() })).rejects.toThrow(
      /says that the database is in .* but that folder has none/,
    )
  })

  it('states the remedy if there is no such other place', async () => {
    await writeFile(join(home, 'file'), '')
    await expect(start({ sharedDir: join(home, 'file', 'below') })).rejects.toThrow(
      /"nobody" has no access to .*ordinary user, use a DATA_DIR that other users can access.*DATABASE_URL/,
    )
  })

  it('does not start with an empty cluster if the folder was closed after the cluster was created', async () => {
    await chmod(dataDir, 0o755)
    await (await start({ sharedDir: sharedDir() })).stop()
    await chmod(dataDir, 0o700)
    await expect(start({ sharedDir: sharedDir() })).rejects.toThrow(/has no access to .*chmod o\+x/)
  })
})
