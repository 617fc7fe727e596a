/** One run of the PostgreSQL server process: start it, or adopt one that outlived its Coffer; watch it; stop it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chown, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { birthOf, commandLineOf, isAlive } from '../../../core/process-table.ts'
import { EmbeddedServerError } from './embedded-error.ts'
import type { ServerPlace } from './place.ts'
import { readTail, sizeOf } from './server-log.ts'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Resolves with how it ended, once it has. */
  readonly ended: Promise<string>
}

export interface PostmasterParts {
  readonly place: ServerPlace
  readonly native: string
  readonly logPath: string
  readonly settings: Readonly<Record<string, string>>
}

/** The first attempt may meet what the last server left: a zombie not yet reaped, or its children still ending. */
const leftoverWaitMs = 10_000
/** Recovery after a crash may take long, but it writes to the log every ten seconds. */
const silenceMsMax = 20_000
const readyMsMax = 10 * 60_000
const fastStopMs = 15_000
const immediateStopMs = 10_000

/**
 * Starts the server on 127.0.0.1:`port` and resolves when it accepts connections.
 * @throws EmbeddedServerError with the last lines of its log.
 */
export async function startPostmaster(parts: PostmasterParts, port: number): Promise<Postmaster> {
  const giveUpAt = performance.now() + leftoverWaitMs
  await disownLock(parts.place.cluster)
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

/** The live server of this cluster that an earlier Coffer started and could not stop, once it is ready. */
export async function adoptPostmaster(parts: PostmasterParts): Promise<Postmaster | undefined> {
  const { cluster } = parts.place
  const record = await readRecord(cluster)
  if (record === undefined || !(await serves(record.pid, cluster))) return undefined
  const postmaster = { pid: record.pid, port: record.port, ended: endOf(record.pid) }
  // One that is just stopping is waited out; then there is nothing to adopt.
  const problem = await problemBeforeReady(postmaster, parts)
  if (problem === undefined) return postmaster
  await stopPostmaster(postmaster)
  return undefined
}

/**
 * Fast shutdown (open transactions are rolled back, everything is written), then immediate shutdown if that hangs.
 * @throws EmbeddedServerError if the process is still there after both.
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
  throw new EmbeddedServerError(`PostgreSQL (pid ${pid}) does not stop: end it by hand before the next start`)
}

async function spawnPostmaster(
  { place, native, logPath, settings }: PostmasterParts,
  port: number,
): Promise<Postmaster> {
  const always = { listen_addresses: '127.0.0.1', unix_socket_directories: '', jit: 'off', timezone: 'UTC' }
  const options = Object.entries({ ...settings, ...always }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const log = await open(logPath, 'a', 0o600)
  try {
    const child = spawn(
      join(native, 'bin', 'postgres'),
      ['-D', place.cluster, '-p', String(port), ...options],
      {
        ...place.runAs,
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
        // Its own process group: Ctrl-C in a terminal must reach Coffer alone, which drains before it stops this.
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

/** An adopted server is nobody's child here, so its end can only be noticed by looking. */
async function endOf(pid: number): Promise<string> {
  const birth = birthOf(pid)
  while (isAlive(pid) && birthOf(pid) === birth) await pause(200, false)
  return 'ended'
}

/** Undefined when it is ready. Line 8 of postmaster.pid says so, if line 1 names this process and not an earlier one. */
async function problemBeforeReady(
  { pid, ended }: Postmaster,
  { place, logPath }: PostmasterParts,
): Promise<string | undefined> {
  const startedAt = performance.now()
  let quietSince = startedAt
  let logBytes = await sizeOf(logPath)
  for (;;) {
    const record = await readRecord(place.cluster)
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
 * A postmaster.pid may name a zombie that nobody reaps (a container whose first process does not), or, after a reboot,
 * a process that is something else entirely; PostgreSQL would refuse to start for as long as that is there. It takes a
 * lock file that names its own parent for a leftover, and still checks the shared memory named in it, so our own id
 * goes in there (miscinit.c, CreateLockFile).
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
  // Replaced as a whole: PostgreSQL refuses to start over an empty lock file.
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
