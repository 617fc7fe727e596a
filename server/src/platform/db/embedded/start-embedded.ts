/** The PostgreSQL server that Coffer brings along, for those who have none: started, watched and stopped with it. */
import { mkdir, realpath } from 'node:fs/promises'
import { type Clock, systemClock } from '../../../core/clock.ts'
import { freePort } from '../../../core/free-port.ts'
import type { Log } from '../../../core/log.ts'
import { prepareBinaries } from './binaries.ts'
import { readOrMakeCredentials } from './credentials.ts'
import { initialiseCluster } from './initialise-cluster.ts'
import { choosePlace, hasCluster, recordPlace } from './place.ts'
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
  /** A free one is picked when absent. Does not apply to an adopted server. */
  readonly port?: number
  readonly log: Log
  /** Server settings beside our own (postgresql.conf names); tests turn fsync off. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where the cluster goes if root is started in a DATA_DIR that others cannot enter. */
  readonly sharedDir?: string
  readonly clock?: Clock
}

export interface EmbeddedServer {
  /** The role that owns the database `coffer` and migrates it. */
  readonly ownerUrl: string
  /** The role the service works as: it owns nothing. */
  readonly appUrl: string
  readonly superuserUrl: string
  /** The same for the life of this object, across restarts. */
  readonly port: number
  /** Of the server process as it is now; changes when it had to be restarted. */
  readonly pid: number
  /** Called once if the server is gone and could not be brought back. */
  onExit(callback: (error: Error) => void): void
  /** Shuts the server down; safe to call twice. */
  stop(): Promise<void>
}

const restartsMax = 8
const steadyMs = 60_000
const restartPauseMsMax = 5_000

/**
 * Starts the server of `dataDir` (made if missing) or adopts the one that a killed Coffer left running. Whoever calls
 * holds the lock of the data folder (`lockDataDir`).
 * @throws EmbeddedServerError saying what to do, if there can be no server.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log, settings = {}, sharedDir = '/var/lib/coffer', clock = systemClock } = options
  await mkdir(options.dataDir, { recursive: true })
  const dataDir = await realpath(options.dataDir)
  const place = await choosePlace(dataDir, sharedDir)
  const credentials = await readOrMakeCredentials(dataDir, await hasCluster(place.cluster))
  const native = await prepareBinaries(place)
  await initialiseCluster(place, native, credentials.superuser)
  await recordPlace(dataDir, place)
  const parts: PostmasterParts = { place, native, logPath: serverLogPath(dataDir), settings }
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
    // A restart may have been under way; it notices and ends its own.
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
        if (failures > restartsMax) return this.#giveUp(new Error('The database server keeps ending'))
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
