/**
 * The signer without its socket: trusts nothing it is asked. Every request is read field by field, its bytes are decoded and
 * compared with what the intent means, MAC and policy are checked, and its own log decides what may still be signed.
 */
import type { KeyObject } from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { isNetworkName, networks } from '../chains/networks.ts'
import type { Spend, SpendCodec, UnsignedTransaction } from '../chains/port.ts'
import { required } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import type {
  Account,
  AccountRequest,
  Attestation,
  LogEntry,
  SignAnswer,
  Signer,
} from '../intents/signer-port.ts'
import { canonicalText } from './canonical-text.ts'
import { intendedSpend } from './intended-spend.ts'
import type { KeyTree, Wallet } from './key-tree.ts'
import { type Charge, feeCharge, outflowCharges, type Policy } from './policy.ts'
import { RequestShapeError, readSignRequest } from './read-request.ts'
import { Refusal } from './refusal.ts'
import { digestSigner } from './sign-digest.ts'
import { type NewEntry, SignLog } from './sign-log.ts'
import { SignedBefore } from './signed-before.ts'
import { Spending } from './spending.ts'

export interface SignerCoreParts {
  readonly keys: KeyTree
  readonly codec: SpendCodec
  readonly logPath: string
  readonly policy: Policy
  readonly intentKey: KeyObject
  /** The operator's own addresses by network, in canonical spelling. */
  readonly coldAddresses: ReadonlyMap<string, string>
  /** Of the deposit addresses of the UTXO family, for which nothing is signed yet. */
  readonly accounts: readonly Account[]
  /** On which chains a network's transactions may be valid. */
  readonly chainIds: (network: string) => readonly number[]
  readonly clock: Pick<Clock, 'now'>
}

/** A request that was found right, or how it is answered. */
type Judged =
  | { readonly type: 'refused'; readonly answer: Extract<SignAnswer, { type: 'refused' }> }
  | { readonly type: 'known'; readonly sequence: number }
  | { readonly type: 'new'; readonly entry: NewEntry }

export class SignerCore implements Signer {
  readonly #parts: SignerCoreParts
  readonly #before = new SignedBefore()
  readonly #spending = new Spending()
  #log: SignLog | undefined
  /** Why nothing is done any more: what is in memory may be ahead of the log then. */
  #fault: Error | undefined
  /** The end of the last call: requests are judged one after the other, whoever asks. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(parts: SignerCoreParts) {
    this.#parts = parts
  }

  /** Reads the log, which must exist. @throws SignLogError where it is not what the signer wrote */
  static async open(parts: SignerCoreParts): Promise<SignerCore> {
    const core = new SignerCore(parts)
    core.#log = await SignLog.open(parts.logPath, parts.keys.logKey, (entry) => core.#remember(entry))
    return core
  }

  async attest(): Promise<Attestation> {
    const { codec, keys, accounts } = this.#parts
    const { depositXpub, lanes } = keys
    return { family: codec.family, depositXpub, lanes, accounts, logEntries: this.#ownLog.length }
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

  get #ownLog(): SignLog {
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
  async #judge(asked: unknown, sequence: number): Promise<Judged> {
    try {
      const request = readSignRequest(asked)
      const known = this.#before.sequenceOf(request)
      if (known !== undefined) return { type: 'known', sequence: known }
      const { wallet, transaction, charges } = this.#examine(request)
      const signed = await this.#signBytes(wallet, transaction, request)
      const entry = { ...request, ...signed, signedAt: this.#parts.clock.now() }
      this.#before.add({ ...entry, sequence }, wallet.address)
      this.#spending.add(request.payoutId, charges, entry.signedAt)
      return { type: 'new', entry }
    } catch (error) {
      return { type: 'refused', answer: refusedAnswer(error) }
    }
  }

  /** @throws Refusal unless everything about the request is as it must be */
  #examine(request: AccountRequest): Examined {
    const { keys, clock } = this.#parts
    const wallet = keys.walletAt(request.from)
    if (wallet === undefined) throw new Refusal('not-allowed', 'There is no such lane')
    this.#before.requireConflict(request, wallet.address)
    const transaction = this.#decode(request)
    const spend = intendedSpend(this.#parts, request)
    requireSameSpend(transaction.spend, spend)
    const charges = this.#chargesOf(request, transaction)
    const fault = this.#spending.faultOf(request.payoutId, charges, clock.now())
    if (fault !== undefined) throw new Refusal('over-limit', fault)
    return { wallet, transaction, charges }
  }

  /** Another attempt of a payout spends no more than the first did, but for its fee. */
  #chargesOf(request: AccountRequest, { gas, maxFeeMinor }: UnsignedTransaction): readonly Charge[] {
    const { policy } = this.#parts
    const fee = feeCharge(policy, request, gas * maxFeeMinor)
    return this.#before.has(request.payoutId) ? [fee] : [fee, ...outflowCharges(policy, request)]
  }

  #decode({ network, chainId, nonce, unsigned }: AccountRequest): UnsignedTransaction {
    const { codec, chainIds } = this.#parts
    if (!isNetworkName(network) || networks[network].family !== codec.family) {
      throw new Refusal('not-allowed', `The signer has no keys for a network called ${network}`)
    }
    if (!chainIds(network).includes(chainId)) {
      throw new Refusal('not-allowed', `Chain ${chainId} is not ${network}`)
    }
    const transaction = parsed(codec, unsigned)
    if (transaction.chainId !== chainId)
      throw new Refusal('not-as-intended', 'The bytes are for another chain')
    if (transaction.nonce !== nonce) throw new Refusal('not-as-intended', 'The bytes have another nonce')
    if (transaction.tipMinor > transaction.maxFeeMinor) {
      throw new Refusal('not-as-intended', 'The tip is above the highest fee')
    }
    return transaction
  }

  async #signBytes(wallet: Wallet, transaction: UnsignedTransaction, { intent }: AccountRequest) {
    const { codec, keys } = this.#parts
    const delegated =
      intent.kind === 'sweep' ? intent.deposits.filter(({ delegationNonce }) => delegationNonce !== null) : []
    const wallets = [wallet, ...delegated.flatMap((place) => keys.walletAt(place) ?? [])]
    return codec.sign(transaction, wallet.address, digestSigner(wallets))
  }

  #remember(entry: LogEntry): void {
    if (!('unsigned' in entry)) return
    const wallet = required(this.#parts.keys.walletAt(entry.from), 'wallet of a logged entry')
    const charges = this.#chargesOf(entry, this.#parts.codec.parse(entry.unsigned))
    this.#before.add(entry, wallet.address)
    this.#spending.add(entry.payoutId, charges, entry.signedAt)
  }
}

interface Examined {
  readonly wallet: Wallet
  readonly transaction: UnsignedTransaction
  readonly charges: readonly Charge[]
}

function parsed(codec: SpendCodec, unsigned: string): UnsignedTransaction {
  try {
    const transaction = codec.parse(unsigned)
    if (codec.serialize(transaction) === unsigned) return transaction
  } catch {
    // What the decoder says of foreign bytes is nobody's business.
  }
  throw new Refusal('not-as-intended', 'The bytes are no transaction of ours')
}

function requireSameSpend(given: Spend, intended: Spend): void {
  if (canonicalText(given) === canonicalText(intended)) return
  throw new Refusal('not-as-intended', 'The bytes do something else than the intent says')
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
