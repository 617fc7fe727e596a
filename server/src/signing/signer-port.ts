/** The port between those who plan payouts and the process that holds the keys. */
import type { Intent, WalletPlace } from './intent.ts'
import type { SealHead } from './statement.ts'

export interface Signer {
  /** What the keys behind it are, for comparing with what is configured and stored. */
  attest(): Promise<Attestation>
  /**
   * Signs each request or refuses it, in their order. An intent that was signed before gets bytes that conflict with all
   * it ever got: the same wallet and nonce, the same anchor, or a refusal. What is answered is in the signer's log already.
   * @throws SignerAwayError
   */
  sign(requests: readonly SignRequest[]): Promise<readonly SignAnswer[]>
  /** The log's entries with sequences above `after`, in order, at most `max`. @throws SignerAwayError */
  readLog(after: number, max: number): Promise<readonly LogEntry[]>
  /** What it knows of history and halts. */
  readonly control: SignerControl
}

/** What the signer keeps beside signatures, in a log of its own that no database and no restore can take back. */
export interface SignerControl {
  /**
   * Countersigns the head of the sealed history. Never two hashes for one sequence of an incarnation, never a lower
   * sequence than before, and no incarnation that was not opened on the signer's host.
   * @throws SignerAwayError
   */
  countersign(head: CountersignRequest): Promise<CountersignAnswer>
  /** From now on nothing is signed but what fills gaps, unless this halt was lifted before. @throws SignerAwayError */
  halt(halt: SignerHalt): Promise<void>
  /** @param line a lift as the signer's host printed it; whether it is one @throws SignerAwayError */
  lift(line: string): Promise<boolean>
}

export interface CountersignRequest extends SealHead {
  /** The head that was countersigned last in this incarnation, as the books hold it; null where there is none. */
  readonly previous: Pick<SealHead, 'sequence' | 'hash'> | null
}

export type CountersignAnswer =
  /** Ed25519 over `sealHeadStatement`, in hex. */
  | { readonly type: 'countersigned'; readonly signature: string }
  /** `detail` is for people and names no secret. */
  | { readonly type: 'refused'; readonly detail: string }

export interface SignerHalt {
  readonly id: string
  readonly cause: string
}

export interface Attestation {
  readonly family: string
  /** Of m/44'/60'/0' on EVM: deposit addresses. */
  readonly depositXpub: string
  /** The hot lanes' addresses by their numbers, in canonical spelling. */
  readonly lanes: readonly string[]
  /** Of the other deposit addresses, which the UTXO family derives from a key of each coin. */
  readonly accounts: readonly Account[]
  /** How many entries the log has. */
  readonly logEntries: number
  /** Which life of the log this is, from 1: it rises where entries were lost, and an operator accepted that. */
  readonly logIncarnation?: number
  /** Signs heads of history and lifts of halts: an Ed25519 public key, 32 bytes in hex. */
  readonly statementKey?: string
  /** The head of history that was countersigned last. */
  readonly sealHead?: SealHead
  /** Those that stand: nothing is signed but what fills gaps. */
  readonly halts?: readonly SignerHalt[]
  /** What its policy allows, for planning within it; absent where a signer does not tell. */
  readonly limits?: AttestedLimits
}

/** What is planned beyond it is refused. */
export interface AttestedLimits {
  readonly networks: readonly {
    readonly name: string
    /** Null where money lies in coins. */
    readonly chainId: number | null
    /** What one transaction may cost at most, in the coin's smallest unit. */
    readonly feePerTransactionMinor: bigint
  }[]
  readonly assets: readonly {
    readonly network: string
    readonly symbol: string
    /** In canonical spelling; null for the coin. */
    readonly contract: string | null
    readonly decimals: number
    readonly perTransactionMinor: bigint
  }[]
  /** What holds for all that is not named, as with play money; null where nothing else is signed for. */
  readonly unnamed: { readonly feePerTransactionMinor: bigint } | null
}

/** The account key of the deposit addresses of a family of addresses. */
export interface Account {
  readonly family: string
  readonly xpub: string
  /** Of the hot wallet and its change, m/84'/coin'/1' (m/44' where there are no witnesses). */
  readonly hotXpub: string
}

/** What is to be signed: a transaction of an account, or one that spends coins. */
export type SignRequest = AccountRequest | CoinRequest

interface RequestBase {
  readonly payoutId: string
  readonly network: string
  readonly intent: Intent
}

export interface AccountRequest extends RequestBase {
  readonly chainId: number
  readonly from: WalletPlace
  readonly nonce: number
  /** The transaction to sign, in the family's own serialization, in hex without prefix. The signer decodes it and compares. */
  readonly unsigned: string
}

export interface CoinRequest extends RequestBase {
  /** The coin, `<txid>:<vout>`, that every transaction for this payout spends, so that at most one of them is ever mined. */
  readonly anchor: string
  /**
   * BIP 174 in base64, without signatures. Each input has the output it spends (the whole transaction that made it where
   * there are no witnesses) and, like each output back to ourselves, the path of its key, whose fingerprint is not looked at.
   */
  readonly psbt: string
}

export type SignAnswer =
  | { readonly type: 'signed'; readonly txHash: string; readonly raw: string; readonly sequence: number }
  /** `code` is stable; `detail` is for people and names no secret. */
  | { readonly type: 'refused'; readonly code: RefusalCode; readonly detail: string }

export type RefusalCode =
  /** The MAC does not fit what is asked. */
  | 'not-approved'
  /** The bytes do something else than the intent says. */
  | 'not-as-intended'
  /** The same intent, or the same payment in another, was signed with another nonce or anchor; or a coin is another's. */
  | 'already-signed'
  /** A policy limit: per transaction, in 24 hours, absolute, destination, fee. */
  | 'over-limit'
  | 'not-allowed'
  /** A halt stands that nobody lifted on the signer's host. */
  | 'halted'

/** One thing that was signed. */
export type LogEntry = SignRequest & Signed

export interface Signed {
  /** From 1, without gaps. */
  readonly sequence: number
  readonly txHash: string
  readonly raw: string
  readonly signedAt: Date
}

/** The signer does not answer; nothing is known of what was asked last until its log is read. */
export class SignerAwayError extends Error {
  override readonly name = 'SignerAwayError'
}
