/**
 * The signer without its socket. It does not trust requests: it reads every field, decodes the transaction,
 * and compares it with what the intent asks for. It then checks the MAC and the policy. A request that
 * contradicts an earlier signature in the signer's log is refused.
 */
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { required } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import type { Files } from '../core/files.ts'
import type {
  Account,
  Attestation,
  LogEntry,
  SignAnswer,
  Signer,
  SignerControl,
  SignRequest,
} from '../signing/signer-port.ts'
import type { AuthorizedRequest } from './authorization/authorize.ts'
import { type AccountAuthorizerParts, authorizeAccount } from './authorization/authorize-accounts.ts'
import { UtxoAuthorizer, type UtxoAuthorizerParts } from './authorization/authorize-utxos.ts'
import { attestedLimits, type Policy } from './authorization/policy.ts'
import { Refusal } from './authorization/refusal.ts'
import { SignedBefore } from './authorization/signed-before.ts'
import { Spending } from './authorization/spending.ts'
import { type ControlParts, LoggedControl } from './control/logged-control.ts'
import { SignerSetupError } from './keys/private-file.ts'
import { SignerRecords } from './log/records.ts'
import type { NewEntry } from './log/sign-log.ts'
import { RequestShapeError, readSignRequest } from './read-request.ts'

export interface SignerCoreParts
  extends AccountAuthorizerParts,
    UtxoAuthorizerParts,
    Partial<Pick<ControlParts, 'opensDatabaseIdentities'>> {
  /** The files of the logs and of the checkpoint; by default those on the disk. */
  readonly files?: Files
  readonly logPath: string
  /**
   * Undefined if no checkpoint is used. In that case only the position files of the logs show whether the
   * logs are complete.
   */
  readonly checkpointPath?: string | undefined
  /** Account xpubs of the UTXO networks. */
  readonly accounts: readonly Account[]
  readonly clock: Pick<Clock, 'now'>
}

/** The result for a request: a refusal, the sequence of an identical earlier request, or a new entry. */
type Authorized =
  | { readonly type: 'refused'; readonly answer: Extract<SignAnswer, { type: 'refused' }> }
  | { readonly type: 'known'; readonly sequence: number }
  | { readonly type: 'new'; readonly entry: NewEntry }

export class SignerCore implements Signer {
  /** The authorisers share this object, so that all of them use the same policy. */
  readonly #parts: SignerCoreParts & { policy: Policy }
  readonly control: SignerControl
  readonly #control: LoggedControl
  readonly #utxoAuthorizer: UtxoAuthorizer
  readonly #before = new SignedBefore()
  readonly #spending = new Spending()
  #log: SignerRecords | undefined
  /** The error after which the signer answers no more calls, because its memory may be ahead of the log. */
  #error: Error | undefined
  /** Resolves when the last call has ended. Requests of all clients are processed one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(parts: SignerCoreParts) {
    this.#parts = { ...parts }
    this.#utxoAuthorizer = new UtxoAuthorizer(this.#parts)
    const { keys, clock, opensDatabaseIdentities = false } = parts
    const control = new LoggedControl({
      statementKey: keys.statementKey,
      clock,
      opensDatabaseIdentities,
    })
    this.#control = control
    this.control = {
      countersign: (head) => this.#oneByOne(() => control.countersign(head)),
      halt: (halt) => this.#oneByOne(() => control.halt(halt)),
      lift: (line) => this.#oneByOne(() => control.lift(line)),
    }
  }

  /**
   * Reads the logs, which must exist.
   * @throws SignLogError if a log differs from what the signer wrote or is older than the checkpoint.
   * @throws SignerSetupError if an entry cannot be read with the present options of the signer.
   */
  static async open(parts: SignerCoreParts): Promise<SignerCore> {
    const core = new SignerCore(parts)
    core.#log = await SignerRecords.open({
      files: parts.files,
      logPath: parts.logPath,
      checkpointPath: parts.checkpointPath,
      key: parts.keys.logKey,
      onSigned: (entry) => core.#replay(entry),
      onControl: (entry) => core.#control.replay(entry),
    })
    core.#control.writeTo(core.#log)
    return core
  }

  async attest(): Promise<Attestation> {
    const { codec, keys, accounts } = this.#parts
    const { depositXpub, hotWallets } = keys
    const limits = attestedLimits(this.#parts.policy)
    const logEntries = this.#ownLog.length
    return {
      family: codec.family,
      depositXpub,
      hotWallets,
      accounts,
      logEntries,
      limits,
      ...this.#control.attest(),
    }
  }

  /**
   * Replaces the policy for later requests. Transactions that were signed before still count towards the
   * limits.
   */
  usePolicy(policy: Policy): Promise<void> {
    return this.#oneByOne(async () => {
      this.#parts.policy = policy
    })
  }

  sign(requests: readonly unknown[]): Promise<readonly SignAnswer[]> {
    return this.#oneByOne(() => this.#sign(requests))
  }

  readLog(after: number, max: number): Promise<readonly LogEntry[]> {
    return this.#oneByOne(() => this.#ownLog.read(after, max))
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {})
    await this.#ownLog.close()
  }

  get #ownLog(): SignerRecords {
    return required(this.#log, 'log')
  }

  #oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#error !== undefined) throw this.#error
      return work()
    })
    this.#last = result.catch((error: Error) => {
      this.#error ??= error
    })
    return result
  }

  async #sign(requests: readonly unknown[]): Promise<readonly SignAnswer[]> {
    const authorized: Authorized[] = []
    const added: NewEntry[] = []
    for (const request of requests) {
      const one = await this.#authorize(request, this.#ownLog.length + added.length + 1)
      authorized.push(one)
      if (one.type === 'new') added.push(one.entry)
      await yieldToEvents()
    }
    const entries = added.length === 0 ? [] : await this.#ownLog.append(added)
    const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]))
    let next = 0
    const answers: SignAnswer[] = []
    for (const one of authorized) {
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

  /**
   * Authorises a request and signs it. Later requests of the same batch are checked against this request too.
   * @param sequence the sequence that the request's entry gets in the log.
   */
  async #authorize(given: unknown, sequence: number): Promise<Authorized> {
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

  #read(request: SignRequest): AuthorizedRequest {
    return 'psbt' in request
      ? this.#utxoAuthorizer.authorize(request)
      : authorizeAccount(this.#parts, request)
  }

  /**
   * Checks everything about a request.
   * @throws Refusal if any part of the request is not allowed.
   */
  #requireAllowed(request: SignRequest, asked: AuthorizedRequest): void {
    const { outgoingTransactionId } = request
    this.#control.requireNoHalt(request.intent)
    this.#before.requireConflict(request, asked.takes)
    asked.require()
    const charges = asked.charges(this.#before.has(outgoingTransactionId))
    const error = this.#spending.errorOf(outgoingTransactionId, charges, this.#parts.clock.now())
    if (error !== undefined) throw new Refusal('over-limit', error)
  }

  /**
   * Adds a log entry to the state in memory. If the entry is a further attempt of an outgoing transaction,
   * only its fee counts towards the limits.
   */
  #remember(entry: LogEntry, asked: AuthorizedRequest): void {
    const charges = asked.charges(this.#before.has(entry.outgoingTransactionId))
    this.#before.add(entry, asked.takes)
    this.#spending.add(entry.outgoingTransactionId, charges, entry.signedAt)
    asked.remember(entry.txHash)
  }
}

function unreadable(entry: LogEntry, { message }: Refusal): string {
  const keyPath = 'from' in entry ? entry.from : undefined
  return keyPath?.type === 'hotWallet'
    ? `The log has entries of hot wallet ${keyPath.hotWallet}: start with --hot-wallets ${keyPath.hotWallet + 1} or more`
    : `Entry ${entry.sequence} of the log cannot be read with the current options of the signer: ${message}`
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
