/**
 * Handles one run of the PostgreSQL server process. It starts a server, or adopts a server that outlived its
 * Coffer. It waits for the server's end, and stops the server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chown, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { birthOf, commandLineOf, isAlive } from '../../../core/process-table.ts'
import { EmbeddedServerError } from './embedded-error.ts'
import type { ServerLocation } from './location.ts'
import { readTail, sizeOf } from './server-log.ts'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Resolves once the process has ended, with a description of how it ended. */
  readonly ended: Promise<string>
}

export interface PostmasterParts {
  readonly location: ServerLocation
  readonly native: string
  readonly logPath: string
  readonly settings: Readonly<Record<string, string>>
}

/**
 * How long a start is retried while the previous server prevents it. The previous server may be a zombie
 * process, or its child processes may still be ending.
 */
const leftoverWaitMs = 10_000
/**
 * A start counts as failed if the server writes nothing to its log for this long. Crash recovery may take
 * longer, but it writes to the log every ten seconds.
 */
const silenceMsMax = 20_000
const readyMsMax = 10 * 60_000
const fastStopMs = 15_000
const immediateStopMs = 10_000

/**
 * Starts the server on 127.0.0.1:`port`, and resolves when it accepts connections.
 * @throws EmbeddedServerError with the last lines of the server's log
 */
export async function startPostmaster(parts: PostmasterParts, port: number): Promise<Postmaster> {
  const giveUpAt = performance.now() + leftoverWaitMs
  await disownLock(parts.location.cluster)
  for (;;) {
    const logStart = await sizeOf(parts.logPath)
    const postmaster = await spawnPostmaster(parts, port)
    const problem = await problemBeforeReady(postmaster, parts)
    if (problem === undefined) return postmaster
    await stopPostmaster(postmaster)
    const tail = await readTail(parts.logPath, logStart)
    const leftover = /lock file "postmaster.pid" already exists|pre-existing shared memory block/.test(tail)
    if (!leftover || performance.now() > giveUpAt) {
      throw new EmbeddedServerError(`PostgreSQL ${problem}. Its log (${parts.logPath}) ends:\n${tail}`)
    }
    await pause(100)
  }
}

/**
 * Returns a running server of this cluster that an earlier Coffer started and could not stop, once that
 * server is ready. Returns undefined if there is none, or if the server did not become ready and was stopped.
 */
export async function adoptPostmaster(parts: PostmasterParts): Promise<Postmaster | undefined> {
  const { cluster } = parts.location
  const record = await readRecord(cluster)
  if (record === undefined || !(await serves(record.pid, cluster))) return undefined
  const postmaster = { pid: record.pid, port: record.port, ended: endOf(record.pid) }
  // If the server is shutting down, this call waits for the server's end and returns a problem.
  const problem = await problemBeforeReady(postmaster, parts)
  if (problem === undefined) return postmaster
  await stopPostmaster(postmaster)
  return undefined
}

/**
 * Stops the server by a fast shutdown, which rolls back open transactions and writes everything to disk. If
 * the server does not end in time, requests an immediate shutdown.
 * @throws EmbeddedServerError if the process still runs after both requests
 */
export async function stopPostmaster({ pid, ended }: Postmaster): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
  ] as const) {
    if (await endsWithin(ended, 0)) return
    signalProcess(pid, signal)
    if (await endsWithin(ended, waitMs)) return
  }
  throw new EmbeddedServerError(
    `PostgreSQL (pid ${pid}) does not stop: stop it manually before the next start`,
  )
}

async function spawnPostmaster(
  { location, native, logPath, settings }: PostmasterParts,
  port: number,
): Promise<Postmaster> {
  const usual = { unix_socket_directories: '' }
  const always = { listen_addresses: '127.0.0.1', jit: 'off', timezone: 'UTC' }
  const options = Object.entries({ ...usual, ...settings, ...always }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const log = await open(logPath, 'a', 0o600)
  try {
    const child = spawn(
      join(native, 'bin', 'postgres'),
      ['-D', location.cluster, '-p', String(port), ...options],
      {
        ...location.runAs,
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
        // The server gets its own process group, so that Ctrl-C in a terminal reaches only Coffer. Coffer lets
        // its open requests end, and then stops this server.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      },
    )
    const ended = endOfChild(child)
    child.unref()
    if (child.pid === undefined)
      throw new EmbeddedServerError(`PostgreSQL could not be started: ${await ended}`)
    return { pid: child.pid, port, ended }
  } finally {
    await log.close()
  }
}

function endOfChild(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `exited with code ${code}` : `ended by ${signal}`),
    )
  })
}

/** Polls until an adopted server has ended. It is no child of this process, so there is no exit event. */
async function endOf(pid: number): Promise<string> {
  const birth = birthOf(pid)
  while (isAlive(pid) && birthOf(pid) === birth) await pause(200, false)
  return 'ended'
}

/**
 * Waits until the server is ready, and returns undefined; or returns the problem if it does not become ready.
 * The server is ready when line 8 of postmaster.pid says so and line 1 has the id of the server's process.
 */
async function problemBeforeReady(
  { pid, ended }: Postmaster,
  { location, logPath }: PostmasterParts,
): Promise<string | undefined> {
  const startedAt = performance.now()
  let quietSince = startedAt
  let logBytes = await sizeOf(logPath)
  for (;;) {
    const record = await readRecord(location.cluster)
    if (record?.pid === pid && record.status === 'ready') return undefined
    if (await endsWithin(ended, 10)) return ended
    const now = performance.now()
    const bytes = await sizeOf(logPath)
    if (bytes !== logBytes) quietSince = now
    logBytes = bytes
    if (now - quietSince > silenceMsMax || now - startedAt > readyMsMax) {
      return `was not ready within ${Math.round((now - startedAt) / 1000)} s`
    }
  }
}

interface PostmasterRecord {
  readonly pid: number
  readonly port: number
  readonly status: string
}

async function readRecord(cluster: string): Promise<PostmasterRecord | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid = '', , , port = '', , , , status = ''] = text.split('\n')
  return /^\d+$/.test(pid) && /^\d+$/.test(port)
    ? { pid: Number(pid), port: Number(port), status: status.trim() }
    : undefined
}

async function serves(pid: number, cluster: string): Promise<boolean> {
  const line = await commandLineOf(pid)
  return line.includes(cluster) || (line.length === 1 && line[0]?.includes(`-D ${cluster} `) === true)
}

/**
 * Makes a stale postmaster.pid harmless. The file names a process, and PostgreSQL refuses to start while that
 * process exists. The process may be a zombie, in a container whose first process does not reap zombies. After
 * a reboot it may be an unrelated process. The id of this process is therefore written to the file: PostgreSQL
 * treats a lock file that names its own parent process as stale (miscinit.c, CreateLockFile). PostgreSQL still
 * checks the shared memory that the file names.
 */
async function disownLock(cluster: string): Promise<void> {
  const record = await readRecord(cluster)
  if (record === undefined) return
  const line = await commandLineOf(record.pid)
  const hidden = line.length === 0
  if (isAlive(record.pid) && (hidden || line.some((part) => part.includes('postgres')))) return
  const path = join(cluster, 'postmaster.pid')
  const text = await readFile(path, 'utf8')
  const { uid, gid } = await stat(path)
  // The file is replaced atomically, because PostgreSQL refuses to start with an empty lock file.
  const draft = `${path}.coffer`
  await writeFile(draft, text.replace(/^\d+/, String(process.pid)), { mode: 0o600 })
  await chown(draft, uid, gid)
  await rename(draft, path)
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function endsWithin(ended: Promise<string>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const result = await Promise.race([ended.then(() => true), late])
  clearTimeout(timer)
  return result
}

function pause(ms: number, keepsProcessAlive = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    if (!keepsProcessAlive) timer.unref()
  })
}
