/**
 * The PostgreSQL server included with Coffer, for operators without a server of their own. Coffer starts,
 * supervises and stops it.
 */
import { mkdir, realpath } from 'node:fs/promises'
import { type Clock, systemClock } from '../../../core/clock.ts'
import { freePort } from '../../../core/free-port.ts'
import type { Log } from '../../../core/log.ts'
import { prepareBinaries } from './binaries.ts'
import { readOrMakeCredentials } from './credentials.ts'
import { initialiseCluster } from './initialise-cluster.ts'
import { chooseLocation, hasCluster, recordLocation } from './location.ts'
import {
  adoptPostmaster,
  type Postmaster,
  type PostmasterParts,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts'
import { provision, serverUrls } from './provision.ts'
import { rotateServerLog, serverLogPath } from './server-log.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  /** The port to listen on; a free port if absent. An adopted server keeps its own port. */
  readonly port?: number
  readonly log: Log
  /** Further settings of the server, by their names in postgresql.conf. Tests turn fsync off. */
  readonly settings?: Readonly<Record<string, string>>
  /** The parent folder of the cluster if Coffer runs as root and the server's user cannot enter DATA_DIR. */
  readonly sharedDir?: string
  readonly clock?: Clock
}

export interface EmbeddedServer {
  /** The URL with the role that owns and migrates the database `coffer`. */
  readonly ownerUrl: string
  /** The URL with the service's role, which owns no tables. */
  readonly appUrl: string
  readonly superuserUrl: string
  /** Stays the same across restarts of the server. */
  readonly port: number
  /** The current server process; it changes with a restart. */
  readonly pid: number
  /** Registers a callback that is called once, when the server has ended and could not be restarted. */
  onExit(callback: (error: Error) => void): void
  /** Shuts the server down. May be called twice. */
  stop(): Promise<void>
}

const restartsMax = 8
const steadyMs = 60_000
const restartPauseMsMax = 5_000

/**
 * Starts the server of `dataDir`, or adopts the server that a killed Coffer left running. Creates the folder
 * if it is missing. The caller must hold the lock of the folder (`lockDataDir`).
 * @throws EmbeddedServerError, with the remedy, if no server can run
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log, settings = {}, sharedDir = '/var/lib/coffer', clock = systemClock } = options
  await mkdir(options.dataDir, { recursive: true })
  const dataDir = await realpath(options.dataDir)
  const location = await chooseLocation(dataDir, sharedDir)
  const credentials = await readOrMakeCredentials(dataDir, await hasCluster(location.cluster))
  const native = await prepareBinaries(location)
  await initialiseCluster(location, native, credentials.superuser)
  await recordLocation(dataDir, location)
  const parts: PostmasterParts = { location, native, logPath: serverLogPath(dataDir), settings }
  const first = await adoptOrStart(parts, options.port, log)
  const urls = serverUrls(first.port, credentials)
  try {
    await provision(urls, credentials)
  } catch (error) {
    await stopPostmaster(first)
    throw error
  }
  return new SupervisedServer(urls, first, { parts, log, clock })
}

async function adoptOrStart(parts: PostmasterParts, port: number | undefined, log: Log): Promise<Postmaster> {
  const adopted = await adoptPostmaster(parts)
  if (adopted !== undefined) {
    log.warn(
      { pid: adopted.pid, port: adopted.port },
      'took over the database server of a Coffer that was killed',
    )
    return adopted
  }
  await rotateServerLog(parts.logPath)
  const started = await startPostmaster(parts, port ?? (await freePort()))
  log.info({ pid: started.pid, port: started.port }, 'database server started')
  return started
}

interface SupervisionParts {
  readonly parts: PostmasterParts
  readonly log: Log
  readonly clock: Clock
}

class SupervisedServer implements EmbeddedServer {
  readonly ownerUrl: string
  readonly appUrl: string
  readonly superuserUrl: string
  readonly port: number
  readonly #supervision: SupervisionParts
  readonly #stopping = new AbortController()
  readonly #callbacks: ((error: Error) => void)[] = []
  readonly #supervised: Promise<void>
  #current: Postmaster
  #stopped: Promise<void> | undefined

  constructor(urls: ReturnType<typeof serverUrls>, first: Postmaster, supervision: SupervisionParts) {
    this.ownerUrl = urls.owner
    this.appUrl = urls.app
    this.superuserUrl = urls.superuser
    this.port = first.port
    this.#current = first
    this.#supervision = supervision
    this.#supervised = this.#supervise()
  }

  get pid(): number {
    return this.#current.pid
  }

  onExit(callback: (error: Error) => void): void {
    this.#callbacks.push(callback)
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    await stopPostmaster(this.#current)
    // `#supervise` may be restarting the server. It then notices the stop, and ends the new server itself.
    await this.#supervised
    this.#supervision.log.info({}, 'database server stopped')
  }

  async #supervise(): Promise<void> {
    const { log, clock, parts } = this.#supervision
    const { signal } = this.#stopping
    for (let failures = 0; ; ) {
      const upSince = performance.now()
      const ending = await this.#current.ended
      if (signal.aborted) return
      log.error({ pid: this.pid, ending }, 'the database server ended unexpectedly')
      if (performance.now() - upSince > steadyMs) failures = 0
      for (let back = false; !back; ) {
        failures += 1
        if (failures > restartsMax) return this.#giveUp(new Error('The database server stops repeatedly'))
        await clock.sleep(failures === 1 ? 0 : Math.min(restartPauseMsMax, 50 * 2 ** failures), signal)
        if (signal.aborted) return
        back = await this.#restart(parts, log)
      }
      if (signal.aborted) return stopPostmaster(this.#current)
    }
  }

  async #restart(parts: PostmasterParts, log: Log): Promise<boolean> {
    try {
      this.#current = await startPostmaster(parts, this.port)
      log.warn({ pid: this.pid, port: this.port }, 'database server restarted')
      return true
    } catch (error) {
      log.error({ err: error }, 'the database server could not be restarted')
      return false
    }
  }

  #giveUp(error: Error): void {
    for (const callback of this.#callbacks) callback(error)
  }
}
