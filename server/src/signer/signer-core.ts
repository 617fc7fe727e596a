/**
 * The signer without its socket: trusts nothing it is asked. Every request is read field by field, its bytes are decoded and
 * compared with what the intent means, MAC and policy are checked, and its own log decides what may still be signed.
 */
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { required } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import type {
  Account,
  Attestation,
  LogEntry,
  SignAnswer,
  Signer,
  SignerControl,
  SignRequest,
} from '../signing/signer-port.ts'
import { ControlDesk, type ControlParts } from './control/control-desk.ts'
import type { JudgedRequest } from './judging/judge.ts'
import { type AccountJudgeParts, judgeAccount } from './judging/judge-accounts.ts'
import { CoinJudge, type CoinJudgeParts } from './judging/judge-coins.ts'
import { attestedLimits, type Policy } from './judging/policy.ts'
import { Refusal } from './judging/refusal.ts'
import { SignedBefore } from './judging/signed-before.ts'
import { Spending } from './judging/spending.ts'
import { SignerSetupError } from './keys/private-file.ts'
import { SignerRecords } from './log/records.ts'
import type { NewEntry } from './log/sign-log.ts'
import { RequestShapeError, readSignRequest } from './read-request.ts'

export interface SignerCoreParts
  extends AccountJudgeParts,
    CoinJudgeParts,
    Partial<Pick<ControlParts, 'opensIncarnations'>> {
  readonly logPath: string
  /** Undefined where nothing but the logs' own anchors vouches for them. */
  readonly checkpointPath?: string | undefined
  /** Of the addresses of the UTXO family. */
  readonly accounts: readonly Account[]
  readonly clock: Pick<Clock, 'now'>
}

/** A request that was found right, or how it is answered. */
type Judged =
  | { readonly type: 'refused'; readonly answer: Extract<SignAnswer, { type: 'refused' }> }
  | { readonly type: 'known'; readonly sequence: number }
  | { readonly type: 'new'; readonly entry: NewEntry }

export class SignerCore implements Signer {
  /** Shared with those that judge, so that all are held to the same policy. */
  readonly #parts: SignerCoreParts & { policy: Policy }
  readonly control: SignerControl
  readonly #desk: ControlDesk
  readonly #coins: CoinJudge
  readonly #before = new SignedBefore()
  readonly #spending = new Spending()
  #log: SignerRecords | undefined
  /** Why nothing is done any more: what is in memory may be ahead of the log then. */
  #fault: Error | undefined
  /** The end of the last call: requests are judged one after the other, whoever asks. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(parts: SignerCoreParts) {
    this.#parts = { ...parts }
    this.#coins = new CoinJudge(this.#parts)
    const { keys, clock, opensIncarnations = false } = parts
    const desk = new ControlDesk({ statementKey: keys.statementKey, clock, opensIncarnations })
    this.#desk = desk
    this.control = {
      countersign: (head) => this.#inTurn(() => desk.countersign(head)),
      halt: (halt) => this.#inTurn(() => desk.halt(halt)),
      lift: (line) => this.#inTurn(() => desk.lift(line)),
    }
  }

  /**
   * Reads the logs, which must exist.
   * @throws SignLogError where one is not what the signer wrote, or is older than the checkpoint
   * @throws SignerSetupError where an entry cannot be read with what the signer is started with
   */
  static async open(parts: SignerCoreParts): Promise<SignerCore> {
    const core = new SignerCore(parts)
    core.#log = await SignerRecords.open({
      logPath: parts.logPath,
      checkpointPath: parts.checkpointPath,
      key: parts.keys.logKey,
      onSigned: (entry) => core.#replay(entry),
      onControl: (entry) => core.#desk.replay(entry),
    })
    core.#desk.writeTo(core.#log)
    return core
  }

  async attest(): Promise<Attestation> {
    const { codec, keys, accounts } = this.#parts
    const { depositXpub, lanes } = keys
    const limits = attestedLimits(this.#parts.policy)
    const logEntries = this.#ownLog.length
    return { family: codec.family, depositXpub, lanes, accounts, logEntries, limits, ...this.#desk.attest() }
  }

  /** Replaces the policy for later requests. What was signed before still counts towards the limits. */
  usePolicy(policy: Policy): Promise<void> {
    return this.#inTurn(async () => {
      this.#parts.policy = policy
    })
  }

  sign(requests: readonly unknown[]): Promise<readonly SignAnswer[]> {
    return this.#inTurn(() => this.#sign(requests))
  }

  readLog(after: number, max: number): Promise<readonly LogEntry[]> {
    return this.#inTurn(() => this.#ownLog.read(after, max))
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => {})
    await this.#ownLog.close()
  }

  get #ownLog(): SignerRecords {
    return required(this.#log, 'log')
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => {
      if (this.#fault !== undefined) throw this.#fault
      return work()
    })
    this.#turn = result.catch((error: Error) => {
      this.#fault ??= error
    })
    return result
  }

  async #sign(requests: readonly unknown[]): Promise<readonly SignAnswer[]> {
    const judged: Judged[] = []
    const added: NewEntry[] = []
    for (const request of requests) {
      const one = await this.#judge(request, this.#ownLog.length + added.length + 1)
      judged.push(one)
      if (one.type === 'new') added.push(one.entry)
      await yieldToEvents()
    }
    const entries = added.length === 0 ? [] : await this.#ownLog.append(added)
    const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]))
    let next = 0
    const answers: SignAnswer[] = []
    for (const one of judged) {
      if (one.type === 'refused') answers.push(one.answer)
      else if (one.type === 'known') answers.push(signedAnswer(await this.#entryAt(one.sequence, bySequence)))
      else answers.push(signedAnswer(required(entries[next++], 'entry')))
    }
    return answers
  }

  async #entryAt(sequence: number, added: ReadonlyMap<number, LogEntry>): Promise<LogEntry> {
    const [stored] = added.has(sequence) ? [added.get(sequence)] : await this.#ownLog.read(sequence - 1, 1)
    return required(stored, `entry ${sequence}`)
  }

  /** @param sequence under which the log will hold it; what follows in the same batch is judged with it */
  async #judge(given: unknown, sequence: number): Promise<Judged> {
    try {
      const request = readSignRequest(given)
      const known = this.#before.sequenceOf(request)
      if (known !== undefined) return { type: 'known', sequence: known }
      const asked = this.#read(request)
      this.#requireAllowed(request, asked)
      const entry = { ...request, ...(await asked.sign()), signedAt: this.#parts.clock.now() }
      this.#remember({ ...entry, sequence }, asked)
      return { type: 'new', entry }
    } catch (error) {
      return { type: 'refused', answer: refusedAnswer(error) }
    }
  }

  #replay(entry: LogEntry): void {
    try {
      this.#remember(entry, this.#read(entry))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new SignerSetupError(unreadable(entry, error))
    }
  }

  #read(request: SignRequest): JudgedRequest {
    return 'psbt' in request ? this.#coins.judge(request) : judgeAccount(this.#parts, request)
  }

  /** @throws Refusal unless everything about the request is as it must be */
  #requireAllowed(request: SignRequest, asked: JudgedRequest): void {
    const { payoutId } = request
    this.#desk.requireNoHalt(request.intent)
    this.#before.requireConflict(request, asked.takes)
    asked.require()
    const charges = asked.charges(this.#before.has(payoutId))
    const fault = this.#spending.faultOf(payoutId, charges, this.#parts.clock.now())
    if (fault !== undefined) throw new Refusal('over-limit', fault)
  }

  /** Another attempt of a payout spends no more than the first did, but for its fee. */
  #remember(entry: LogEntry, asked: JudgedRequest): void {
    const charges = asked.charges(this.#before.has(entry.payoutId))
    this.#before.add(entry, asked.takes)
    this.#spending.add(entry.payoutId, charges, entry.signedAt)
    asked.remember(entry.txHash)
  }
}

function unreadable(entry: LogEntry, { message }: Refusal): string {
  const place = 'from' in entry ? entry.from : undefined
  return place?.type === 'lane'
    ? `The log has entries of lane ${place.lane}: start with --lanes ${place.lane + 1} or more`
    : `Entry ${entry.sequence} of the log cannot be read as the signer is started now: ${message}`
}

function signedAnswer({ txHash, raw, sequence }: LogEntry): SignAnswer {
  return { type: 'signed', txHash, raw, sequence }
}

function refusedAnswer(error: unknown): Extract<SignAnswer, { type: 'refused' }> {
  if (error instanceof Refusal) return { type: 'refused', code: error.code, detail: error.message }
  if (error instanceof RequestShapeError)
    return { type: 'refused', code: 'not-as-intended', detail: error.message }
  throw error
}
