/** The host of the signer: its process, and its files. In a crash, the last writes may be torn. */
import { utxoNetworkOf } from '../../src/chains/networks.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { SignLogError } from '../../src/signer/log/chained-log.ts'
import { SignerRecords } from '../../src/signer/log/records.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import { type Signer, SignerAwayError } from '../../src/signing/signer-port.ts'
import type { Dice } from '../dice.ts'
import { type FilesSnapshot, MemoryFiles, type ProcessFiles } from '../memory-files.ts'
import type { SimulatedTime } from '../ports/simulated-time.ts'
import { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { coldAddresses } from '../treasury/cold-addresses.ts'
import { fixed } from './fixed.ts'

const logPath = '/signer/log'
export const checkpointPath = '/checkpoint/checkpoint'

/**
 * A running signer: its memory, its view of the files, and a promise that rejects its open calls when it is
 * killed.
 */
interface Running {
  readonly life: Life
  readonly core: SignerCore
  readonly files: ProcessFiles
  readonly died: Promise<never>
  die(error: Error): void
}

/**
 * The file operations that park (wait for the scheduler), because they change a file. Reads change nothing,
 * so they do not park.
 */
const parkedOperations: readonly string[] = [
  'write',
  'truncate',
  'datasync',
  'sync',
  'create',
  'link',
  'remove',
]

export class SignerHost {
  readonly #scheduler: Scheduler
  readonly #clock: Clock
  readonly #files = new MemoryFiles()
  #running: Running | undefined
  #lives = 0

  private constructor(scheduler: Scheduler, time: SimulatedTime) {
    this.#scheduler = scheduler
    this.#clock = { ...systemClock, now: () => new Date(time.wallMsOf('signer')) }
    this.#files.beforeEach = async ({ type }) => {
      const life = this.#running?.life
      if (life === undefined || !parkedOperations.includes(type)) return
      await scheduler.step({ life, label: `file ${type}`, run: async () => {} })
    }
  }

  /** Opens a host with new logs and starts the signer. */
  static async open(scheduler: Scheduler, time: SimulatedTime): Promise<SignerHost> {
    const host = new SignerHost(scheduler, time)
    const files = host.#files.mount()
    await SignerRecords.create(logPath, checkpointPath, fixed.keys.logKey, files)
    await host.start()
    return host
  }

  /**
   * Starts the signer. After a restore, the signer may refuse its log. The operator then accepts the loss, as
   * docs/signer.md describes.
   * @throws SignLogError if the signer refuses its log although nothing was restored
   */
  async start({ wasRestored = false } = {}): Promise<void> {
    const files = this.#files.mount()
    const core = await openCore(files, this.#clock).catch(async (error: unknown) => {
      if (!(error instanceof SignLogError) || !wasRestored) throw error
      const records = { logPath, checkpointPath, key: fixed.keys.logKey, files }
      await SignerRecords.acceptLoss(records, 'a snapshot was restored', this.#clock.now())
      return openCore(files, this.#clock)
    })
    this.#lives += 1
    let die: Running['die'] = () => {}
    const died = new Promise<never>((_, reject) => {
      die = reject
    })
    died.catch(() => {})
    this.#running = { life: new Life('signer', this.#lives), core, files, died, die }
  }

  /** Kills the signer between two operations on its files. All calls that it has not answered fail. */
  async kill(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    running.files.kill()
    await this.#scheduler.kill(running.life)
    running.die(new SignerAwayError('the signer does not answer'))
    await this.#scheduler.rest()
  }

  /** Crashes the whole host. A random part of each unsynced change is lost. */
  async crash(dice: Dice): Promise<void> {
    await this.kill()
    this.#files.crash(({ size }) => dice.between(0, size))
  }

  snapshot(): FilesSnapshot {
    return this.#files.snapshot()
  }

  restore(snapshot: FilesSnapshot, only: readonly string[]): void {
    this.#files.restore(snapshot, { only })
  }

  /** Returns the signer as a process reaches it. While the signer is not running, all calls fail. */
  signerFor(life: Life): Signer {
    const call = async <T>(label: string, work: (core: SignerCore) => Promise<T>): Promise<T> => {
      await this.#scheduler.step({ life, label: `signer ${label}`, run: async () => {} })
      const running = this.#running
      if (running === undefined) throw new SignerAwayError('the signer does not answer')
      return Promise.race([work(running.core), running.died])
    }
    return {
      attest: () => call('attest', (core) => core.attest()),
      sign: (requests) => call('sign', (core) => core.sign(requests)),
      readLog: (after, max) => call('readLog', (core) => core.readLog(after, max)),
      control: {
        countersign: (head) => call('countersign', (core) => core.control.countersign(head)),
        halt: (halt) => call('halt', (core) => core.control.halt(halt)),
        lift: (line) => call('lift', (core) => core.control.lift(line)),
      },
    }
  }
}

function openCore(files: ProcessFiles, clock: Clock): Promise<SignerCore> {
  const { keys, intentKey, orderVerifier } = fixed
  return SignerCore.open({
    keys,
    intentKey,
    logPath,
    checkpointPath,
    files,
    accounts: fixed.accounts,
    opensDatabaseIdentities: true,
    policy: sandboxPolicy,
    clock,
    orders: orderVerifier,
    codec: fixed.codec,
    utxoNetworkNamed: (name) => utxoNetworkOf(name, 'regtest'),
    coldAddresses,
  })
}
