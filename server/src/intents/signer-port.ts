/** The port between those who plan payouts and the process that holds the keys. */
import type { Intent, WalletPlace } from './intent.ts'

export interface Signer {
  /** What the keys behind it are, for comparing with what is configured and stored. */
  attest(): Promise<Attestation>
  /**
   * Signs each request or refuses it, in their order. An intent that was signed before gets bytes that conflict with all
   * it ever got: the same wallet and nonce, or a refusal. What is answered is in the signer's log already.
   * @throws SignerAwayError
   */
  sign(requests: readonly SignRequest[]): Promise<readonly SignAnswer[]>
  /** The log's entries with sequences above `after`, in order, at most `max`. @throws SignerAwayError */
  readLog(after: number, max: number): Promise<readonly LogEntry[]>
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
}

/** The account key of the deposit addresses of a family of addresses. */
export interface Account {
  readonly family: string
  readonly xpub: string
}

export interface SignRequest {
  readonly payoutId: string
  readonly network: string
  readonly chainId: number
  readonly from: WalletPlace
  readonly nonce: number
  readonly intent: Intent
  /** The transaction to sign, in the family's own serialization, in hex without prefix. The signer decodes it and compares. */
  readonly unsigned: string
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
  /** The same intent, or the same payment in another, was signed with another nonce. */
  | 'already-signed'
  /** A policy limit: per transaction, in 24 hours, absolute, destination, fee. */
  | 'over-limit'
  | 'not-allowed'

/** One thing that was signed. */
export interface LogEntry extends SignRequest {
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
