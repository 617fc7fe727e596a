/**
 * One simulated installation: its database, its processes, its chains, and the model with which it is
 * compared.
 */

import type { Conduct } from '../../src/chains/fake/fake-chain.ts'
import { openQuorumReader } from '../../src/chains/quorum/reader.ts'
import { openQuorumSender } from '../../src/chains/quorum/sender.ts'
import { openQuorumUtxoSender } from '../../src/chains/quorum/utxo-sender.ts'
import { required } from '../../src/core/assert.ts'
import { replaceChance } from '../../src/core/chance.ts'
import { replaceTime } from '../../src/core/clock.ts'
import { AlertError } from '../../src/core/errors.ts'
import { limits } from '../../src/core/limits.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Screening } from '../../src/payments/screening/screen.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import type { PaymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import type { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { AccessSide } from '../access/access-side.ts'
import type { DatabaseServer, SimulatedDatabase } from '../database-server.ts'
import { Dice } from '../dice.ts'
import type { Features } from '../features.ts'
import type { FilesSnapshot } from '../memory-files.ts'
import { Approvals } from '../model/approvals.ts'
import type { ModelAsset } from '../model/asset.ts'
import { Model } from '../model/model.ts'
import { OracleAnswers } from '../model/oracle-answers.ts'
import { parked } from '../ports/parked.ts'
import { ParkedDatabase } from '../ports/parked-database.ts'
import type { SessionPool } from '../ports/sessions.ts'
import { SimulatedTime } from '../ports/simulated-time.ts'
import { Market } from '../prices/market.ts'
import { KeyedRequests } from '../requests/keyed-requests.ts'
import { Life } from '../scheduler/life.ts'
import { Scheduler } from '../scheduler/scheduler.ts'
import { dispatcherJobs, openDispatcher } from './dispatchers.ts'
import { EventSide } from './event-side.ts'
import { EvmSide } from './evm-side.ts'
import { evm, fixed, methodsOn, pricesOf } from './fixed.ts'
import type { EvmHandles, Handles } from './handles.ts'
import { watchHistory } from './history.ts'
import { namesOf } from './networks.ts'
import { type Node, openNodes } from './nodes.ts'
import {
  type ApiParts,
  apiJobs,
  isDispatcher,
  type Job,
  openApi,
  type ProcessName,
  payoutsJobs,
  processNamesOf,
  watcherJobs,
} from './processes.ts'
import { checkpointPath, SignerHost } from './signer-host.ts'
import { UtxoSide } from './utxo-side.ts'
import { openWatchedScreening } from './watched-screening.ts'

/** A running process. */
export interface Process {
  readonly life: Life
  readonly database: ParkedDatabase
  readonly jobs: readonly Job[]
  /** The simulated time of the last start of each job, in milliseconds. */
  readonly startedMs: Map<string, number>
  /** Defined only in the process with the role `api`. */
  readonly api: ApiParts | undefined
  /** Defined only in a dispatcher. */
  readonly dispatcher: Dispatcher | undefined
  /** Waits until the process may begin its work. */
  ready(): Promise<void>
}

/** The parts of a host that a snapshot contains. In production, the checkpoint is on another medium. */
export const hostParts = ['the database', 'the log of the signer', 'the checkpoint'] as const
export type HostPart = (typeof hostParts)[number]

/** The parts in a backup of the whole host. The checkpoint is not among them, because it is on another medium. */
export const restoredHost: readonly HostPart[] = ['the database', 'the log of the signer']

/** All non-empty subsets of these parts. */
export const partSubsets: readonly (readonly HostPart[])[] = Array.from({ length: 7 }, (_, index) =>
  hostParts.filter((_part, bit) => ((index + 1) & (1 << bit)) !== 0),
)

/** The simulated time at the start of every run. */
const startMs = Date.UTC(2026, 0, 1)

export interface InstallationParts {
  readonly server: DatabaseServer
  readonly seed: number
  readonly features: Features
  readonly onStep?: (text: string) => void
}

export class Installation {
  readonly features: Features
  readonly time = new SimulatedTime(startMs)
  readonly model = new Model()
  readonly market = new Market(this.model, () => this.time.trueMs)
  readonly methods: PaymentMethods
  readonly assets: readonly ModelAsset[]
  readonly processNames: readonly ProcessName[]
  /** The EVM networks that the installation uses. */
  readonly evmSides: readonly EvmSide[]
  readonly utxoSide: UtxoSide | undefined
  /**
   * The nodes of all EVM networks, if each network has several. With only one node for each network, this list is
   * empty, and Coffer reads `evmSides` directly.
   */
  readonly nodes: readonly Node[]
  readonly scheduler: Scheduler
  /** Defined if merchants have webhooks. */
  readonly events: EventSide | undefined
  /** Defined if merchants send requests under an Idempotency-Key. */
  readonly keyed: KeyedRequests | undefined
  /** Defined if the requests of merchants are authenticated. */
  readonly access: AccessSide | undefined
  readonly sessions: SessionPool
  /** The database for the checks of a run. Its statements are not steps. Use it only if no work is under way. */
  readonly checked: Db
  /** Errors that are not expected. Each of them makes the run fail. */
  readonly errors: string[] = []
  /** A text for each alert that was logged. It begins with the names of the process and of the alert. */
  readonly alerts: string[] = []
  readonly #oracleAnswers = new OracleAnswers()
  readonly #processes = new Map<ProcessName, Process>()
  readonly #database: SimulatedDatabase
  readonly #restores: (() => void)[]
  #signer: SignerHost | undefined
  /** The files of the signer in the snapshot; undefined if there is no snapshot. */
  #kept: FilesSnapshot | undefined
  /** When the snapshot was taken. */
  #keptAtMs = 0
  /**
   * Whether the operator must request a recovery, because Coffer cannot detect by itself that the host was
   * restored.
   */
  mustAskRecovery = false
  /** Whether any part of a snapshot was restored. Payouts may then be halted until the operator lifts the halts. */
  wasAnyPartRestored = false

  private constructor({ seed, features, onStep }: InstallationParts, database: SimulatedDatabase) {
    const { sessions } = database
    this.features = features
    this.#database = database
    this.sessions = sessions
    const { utxo } = features.networks
    this.methods = methodsOn(namesOf(features.networks))
    this.assets = this.methods.enabled.map((method) => ({
      methodId: method.id,
      name: method.asset,
      network: method.network,
      family: utxo?.network.name === method.network ? 'utxo' : 'evm',
      contract: method.contract ?? null,
      decimals: method.decimals,
      isStable: method.isStable,
      isPlain: method.isPlain,
      minimumMinor: method.minimumMinor,
      dustMinor: utxo?.network.name === method.network ? utxo.network.chain.dustMinor : 0n,
    }))
    if (features.approvalAboveUsd !== undefined)
      this.model.approvals = new Approvals(features.approvalAboveUsd, pricesOf(this.methods))
    const conducts = new Map<string, Conduct>()
    const genesisAt = new Date(startMs)
    this.evmSides = features.networks.evm.map(
      (name) => new EvmSide({ seed, genesisAt, network: evm[name], conducts }),
    )
    this.checked = new ParkedDatabase({
      scheduler: { step: <T>({ run }: { run(): Promise<T> }) => run(), runningWork: 'checks' },
      sessions,
      time: this.time,
      life: new Life('checks', 1),
      macs: fixed.macs,
    }).db
    this.utxoSide = utxo && new UtxoSide(seed, genesisAt, utxo)
    this.nodes =
      features.nodes === 1 ? [] : this.evmSides.flatMap((side) => openNodes(side, seed, features.nodes))
    this.scheduler = new Scheduler({
      dice: new Dice(seed),
      sessions,
      nowMs: () => this.time.monotonicMs(),
      hasTimers: () => this.time.nextInMs !== undefined,
      lockTimeoutMs: limits.lockTimeoutMs,
      ...(onStep && { onStep }),
    })
    this.time.whoAsks = () => this.scheduler.runningLife?.name
    this.time.continuing = (onEnd) => this.scheduler.continuing(onEnd)
    this.processNames = processNamesOf(features)
    this.events = features.hasWebhooks ? new EventSide(this.scheduler, this.time) : undefined
    this.keyed = features.hasKeys ? new KeyedRequests() : undefined
    this.access = features.hasAccess ? new AccessSide(seed) : undefined
    const chance = new Dice(seed ^ 0x5eed)
    this.#restores = [replaceTime(this.time), replaceChance((buffer) => chance.fill(buffer))]
  }

  /** Opens an installation and starts all its processes. The caller must close it. */
  static async open(parts: InstallationParts): Promise<Installation> {
    const installation = new Installation(parts, await parts.server.open())
    try {
      installation.#signer = await SignerHost.open(installation.scheduler, installation.time)
      for (const name of installation.processNames) installation.startProcess(name)
      return installation
    } catch (error) {
      await installation.close()
      throw error
    }
  }

  process(name: ProcessName): Process {
    return required(this.#processes.get(name), `the process ${name}`)
  }

  get signer(): SignerHost {
    return required(this.#signer, 'the host of the signer')
  }

  /** The chains that the installation uses. */
  get sides(): readonly (EvmSide | UtxoSide)[] {
    const { evmSides, utxoSide } = this
    return [...evmSides, ...(utxoSide === undefined ? [] : [utxoSide])]
  }

  /** Returns the nodes of an EVM network, if there are several. */
  nodesOf(side: EvmSide): readonly Node[] {
    return this.nodes.filter(({ truth }) => truth === side)
  }

  get processes(): readonly Process[] {
    return [...this.#processes.values()]
  }

  startProcess(name: ProcessName): void {
    const life = new Life(name, (this.#processes.get(name)?.life.number ?? 0) + 1)
    const { scheduler, sessions, time, methods, evmSides, utxoSide } = this
    const database = new ParkedDatabase({ scheduler, sessions, time, life, macs: fixed.macs })
    const handles: Handles = {
      db: database.db,
      log: this.#logOf(name),
      methods,
      market: this.market,
      evm: evmSides.map((side) => this.#chainFor(name, life, side)),
      utxo: utxoSide && this.#utxoChainFor(name, life, utxoSide),
      signer: this.signer.signerFor(life),
      screening: this.#screeningOf(name, life),
    }
    const { events } = this
    const history = events && watchHistory(handles, name, events.heartbeats.of(name))
    const ready = history?.ready ?? (async () => {})
    const api = name === 'api' ? openApi(handles) : undefined
    if (api !== undefined) this.model.apiStartsMs.push(time.trueMs)
    const dispatcher =
      events !== undefined && isDispatcher(name)
        ? openDispatcher(handles, { receivers: events.receivers, life }, () => history?.incarnation())
        : undefined
    const jobs = [
      ...(api !== undefined
        ? apiJobs(api)
        : dispatcher !== undefined
          ? dispatcherJobs(dispatcher)
          : name === 'watcher'
            ? watcherJobs(handles, this.features)
            : payoutsJobs(handles, this.features)),
      ...(history === undefined ? [] : [history.job]),
    ]
    this.#processes.set(name, { life, database, jobs, api, dispatcher, ready, startedMs: new Map() })
  }

  /** Kills a process between two of its steps and starts it again. */
  async restartProcess(name: ProcessName): Promise<void> {
    const { life, database } = this.process(name)
    await this.scheduler.kill(life)
    await database.end()
    this.startProcess(name)
  }

  /**
   * Shuts a dispatcher down without killing it. The dispatcher waits for running attempts, aborts those that
   * take too long, and stores the results.
   */
  async stopDispatcher(name: ProcessName): Promise<void> {
    const { life, dispatcher } = this.process(name)
    if (dispatcher === undefined || life.isPaused) return
    let isClosed = false
    const close = async () => {
      await dispatcher.close()
      isClosed = true
    }
    await this.scheduler.start(life, 'close', close)
    while (!isClosed)
      if (!(await this.scheduler.advance()))
        await this.pass(required(this.time.nextInMs, 'a timer of the dispatcher'))
    await this.restartProcess(name)
  }

  /** Stops the whole host, copies its database and the signer's files, and starts all processes again. */
  async takeSnapshot(): Promise<void> {
    await this.#whileStopped(async () => {
      await this.#database.snapshot()
      this.#kept = this.signer.snapshot()
      this.#keptAtMs = this.time.trueMs
    })
  }

  /**
   * Restores parts of the snapshot. Returns false if there is no snapshot.
   * @param isPromoted whether the restored database is a standby on another server, which takes over
   */
  async restoreSnapshot(parts: readonly HostPart[], isPromoted = false): Promise<boolean> {
    const kept = this.#kept
    if (kept === undefined) return false
    this.wasAnyPartRestored = true
    await this.#whileStopped(async () => {
      if (parts.includes('the database')) {
        await (isPromoted ? this.#database.promote() : this.#database.restore())
        this.model.isRestored = true
        this.events?.webhooks.lose(this.#keptAtMs)
        this.keyed?.forget()
        this.access?.forget()
      }
      const isIn = (path: string) =>
        parts.includes(path === checkpointPath ? 'the checkpoint' : 'the log of the signer')
      this.signer.restore(kept, [...kept.keys()].filter(isIn))
    })
    // If all three parts are restored together, they are consistent, so Coffer cannot detect the restore.
    if (parts.length === hostParts.length) this.mustAskRecovery = true
    return true
  }

  async #whileStopped(work: () => Promise<void>): Promise<void> {
    for (const { life, database } of this.processes) {
      await this.scheduler.kill(life)
      await database.end()
    }
    await this.signer.kill()
    this.time.clear()
    await work()
    await this.signer.start({ wasRestored: this.#kept !== undefined })
    for (const name of this.processNames) this.startProcess(name)
  }

  /** Pauses a process for a number of moves. */
  pause(name: ProcessName, moves: number): void {
    this.process(name).life.pausedMoves = moves
  }

  /** Reduces the remaining moves of each pause by one. */
  endPauses(): void {
    for (const { life } of this.processes) life.pausedMoves = Math.max(0, life.pausedMoves - 1)
  }

  /**
   * Starts a batch of a job. Does nothing if the job still runs, if it is not due, or if the process is
   * paused.
   */
  async startJob({ life, startedMs, ready }: Process, job: Job): Promise<void> {
    if (!life.isAlive || life.isPaused || this.scheduler.isUnderWay(life, job.name)) return
    const nowMs = this.time.monotonicMs()
    const lastMs = startedMs.get(job.name)
    if (lastMs !== undefined && nowMs - lastMs < (job.everyMs ?? 0)) return
    startedMs.set(job.name, nowMs)
    await this.scheduler.start(life, job.name, async () => {
      try {
        await ready()
        await job.run()
      } catch (error) {
        this.noteError(`${life.name}: ${job.name}`, error)
      }
    })
  }

  /** Advances the time of the processes and of PostgreSQL. */
  async pass(ms: number): Promise<void> {
    await this.time.pass(ms)
    await this.scheduler.rest()
    await this.sessions.endIdle(this.time.monotonicMs() - limits.idleInTransactionTimeoutMs)
    await this.scheduler.endLockTimeouts()
  }

  /**
   * Advances the time to the end of the next timer. Call this function if all work waits for timers. If there is no
   * timer, waits for work that still runs.
   */
  async passToTimer(): Promise<void> {
    const { nextInMs } = this.time
    if (nextInMs !== undefined) await this.pass(nextInMs)
    else if (!(await this.scheduler.untilEvent()))
      throw new Error(
        `nothing can go on, and nothing waits for time to pass (${this.scheduler.underWayNames.join(', ')})`,
      )
  }

  get now(): Date {
    return new Date(this.time.trueMs)
  }

  noteError(where: string, error: unknown): void {
    if (isExpected(error)) return
    // A process that finds a changed row raises an alert and does not use the row.
    if (error instanceof AlertError && this.model.tamperings.length > 0) {
      this.alerts.push(`${where}: ${error.alert}: ${error.message}`)
      return
    }
    this.errors.push(`${where}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }

  async close(): Promise<void> {
    for (const { life, database } of this.processes) {
      await this.scheduler.kill(life)
      await database.end()
    }
    await this.#signer?.kill()
    for (const restore of this.#restores) restore()
  }

  /**
   * Returns an EVM network as a process sees it. If there are several nodes, the process reads them through
   * Coffer's quorum.
   */
  #chainFor(name: string, life: Life, side: EvmSide): EvmHandles {
    const { scheduler } = this
    const nodes = this.nodesOf(side)
    const asked = nodes.length === 0 ? [side] : nodes
    const log = this.#logOf(name)
    const labelOf = (index: number) =>
      nodes.length === 0 ? `${side.name} node` : `${side.name} node ${index + 1}`
    return {
      network: side.network,
      reader: openQuorumReader(
        asked.map(({ reader }, index) => parked(scheduler, life, labelOf(index), reader, readerMethods)),
        log,
      ),
      sender: openQuorumSender(
        asked.map(({ sender }, index) => parked(scheduler, life, labelOf(index), sender, senderMethods)),
        log,
      ),
    }
  }

  /** Returns the UTXO network as a process sees it. */
  #utxoChainFor(
    name: string,
    life: Life,
    { reader, sender, fixed: own }: UtxoSide,
  ): NonNullable<Handles['utxo']> {
    const log = this.#logOf(name)
    const parkedOf = <Target extends object>(target: Target, watched: readonly (keyof Target & string)[]) =>
      parked(this.scheduler, life, 'coin node', target, watched)
    const mempool = parkedOf(required(reader.mempool, 'the mempool of a UTXO chain'), mempoolMethods)
    return {
      fixed: own,
      reader: openQuorumReader([parkedOf({ ...reader, mempool }, readerMethods)], log),
      sender: openQuorumUtxoSender([parkedOf(sender, utxoSenderMethods)], log),
    }
  }

  /** Returns the screening of a process. In a run with listed senders, the screening asks a sanctions oracle. */
  #screeningOf(name: string, life: Life): Screening {
    const { scheduler, model, time, evmSides, features } = this
    return openWatchedScreening({
      scheduler,
      life,
      model,
      nowMs: () => time.trueMs,
      answers: this.#oracleAnswers,
      log: this.#logOf(name),
      isOn: features.hasListedSenders,
      networks: evmSides.map((side) => side.name),
    })
  }

  #logOf(name: string): Log {
    const note = (fields: Record<string, unknown>, message: string) => {
      const { alert, detail = '', cause = '' } = fields
      if (typeof alert === 'string')
        this.alerts.push(`${name}: ${alert}: ${message} ${cause} ${detail}`.trim())
    }
    return { ...silentLog, error: note, warn: note }
  }
}

const readerMethods = [
  'readHead',
  'readFinalHeight',
  'readBlock',
  'readHeader',
  'requireSuccess',
  'readTransaction',
  'readBalances',
] as const

const senderMethods = [
  'readFees',
  'readDataFees',
  'estimateGas',
  'broadcast',
  'readReceipts',
  'readNonces',
  'readSentCounts',
  'readSent',
  'findTaken',
  'readDelegates',
  'hasCode',
] as const

const mempoolMethods = ['listMempool', 'readWaiting', 'readAncestors'] as const

const utxoSenderMethods = [
  'readFeeRate',
  'testAccept',
  'broadcast',
  'findSpent',
  'findWaitingSpender',
  'readPreviousTransactions',
] as const

/** Returns whether an error is expected. After such an error, the job tries again. */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (['NodeError', 'LeaseLostError', 'SignerAwayError'].includes(error.name)) return true
  const code = 'code' in error ? error.code : undefined
  return ['40001', '40P01', '55P03', '57014', '25P03'].includes(String(code))
}
