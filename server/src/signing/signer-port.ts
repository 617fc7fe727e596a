/** The interface between the planners of outgoing transactions and the process that holds the keys. */
import type { Intent, WalletKeyPath } from './intent.ts'
import type { SealHead } from './statement.ts'

export interface Signer {
  /** Returns the signer's public keys and state. Callers compare them with settings and database. */
  attest(): Promise<Attestation>
  /**
   * Signs or refuses each request, and returns the answers in the order of the requests. If an intent was
   * signed before, a new request must conflict with all earlier attempts, so that at most one is mined. A
   * request conflicts if it uses the same wallet and nonce, or the same pinned outpoint. A request that does
   * not conflict is refused. Every signature is in the signer's log before it is returned.
   * @throws SignerAwayError if the signer does not answer
   */
  sign(requests: readonly SignRequest[]): Promise<readonly SignAnswer[]>
  /**
   * Returns at most `max` log entries with sequences above `after`, in order.
   * @throws SignerAwayError if the signer does not answer
   */
  readLog(after: number, max: number): Promise<readonly LogEntry[]>
  /** Countersigns the history of the books, and starts and lifts halts. */
  readonly control: SignerControl
}

/**
 * The part of the signer that countersigns history and records halts. It has its own log, which a restore of
 * the database cannot change.
 */
export interface SignerControl {
  /**
   * Countersigns the head, that is, the last hash of the sealed history. Refuses a head that is older than
   * the last countersigned head of the same incarnation (era of the database's history), or contradicts it.
   * Also refuses a new incarnation that was not opened on the signer's host.
   */
  countersign(head: CountersignRequest): Promise<CountersignAnswer>
  /**
   * Starts a halt. During a halt, the signer signs only nonce-gap transactions, which fill a gap in a
   * wallet's nonces. Starting a halt that was lifted before has no effect.
   * @throws SignerAwayError if the signer does not answer
   */
  halt(halt: SignerHalt): Promise<void>
  /**
   * Lifts the halt that is named in a signed line. Returns true if the line is valid.
   * @param line the line that lifts a halt, as printed on the signer's host
   * @throws SignerAwayError if the signer does not answer
   */
  lift(line: string): Promise<boolean>
}

export interface CountersignRequest extends SealHead {
  /**
   * The head that was countersigned last in this incarnation, according to the books; null if there is none.
   */
  readonly previous: Pick<SealHead, 'sequence' | 'hash'> | null
}

export type CountersignAnswer =
  /** `signature` is the Ed25519 signature of `sealHeadStatement`, in hex. */
  | { readonly type: 'countersigned'; readonly signature: string }
  /** `detail` is for people and contains no secret. */
  | { readonly type: 'refused'; readonly detail: string }

export interface SignerHalt {
  readonly id: string
  readonly cause: string
}

export interface Attestation {
  readonly family: string
  /** The xpub of m/44'/60'/0' on EVM, from which deposit addresses are derived. */
  readonly depositXpub: string
  /** The addresses of the hot wallets in canonical form; the index is the hot wallet's number. */
  readonly hotWallets: readonly string[]
  /**
   * The account xpubs of the UTXO networks. Each entry has the two xpubs of one network: one for deposit
   * addresses and one for the hot wallet.
   */
  readonly accounts: readonly Account[]
  /** The number of entries in the signer's log of signatures. */
  readonly logEntries: number
  /**
   * The generation of the signer's logs, from 1. The generation rises when entries were lost and an operator
   * accepted the loss.
   */
  readonly logGeneration?: number
  /**
   * The Ed25519 public key that verifies countersigned heads and statements that lift halts: 32 bytes in hex.
   */
  readonly statementKey?: string
  /** The head (last hash of the sealed history) that the signer countersigned last. */
  readonly sealHead?: SealHead
  /** The halts in force. During a halt, the signer signs only nonce-gap transactions. */
  readonly halts?: readonly SignerHalt[]
  /**
   * The limits of the policy, so that the planner stays within them; undefined if the signer does not report
   * limits.
   */
  readonly limits?: AttestedLimits
}

/** The limits of the signer's policy. The signer refuses requests that exceed them. */
export interface AttestedLimits {
  readonly networks: readonly {
    readonly name: string
    /** The EIP-155 chain id; null on UTXO chains. */
    readonly chainId: number | null
    /** Present for a network without base fees, for which the signer signs transactions of type 0 alone. */
    readonly feeModel?: 'legacy'
    /** Maximum fee of one transaction, in the native coin's smallest unit. */
    readonly feePerTransactionMinor: bigint
    /**
     * The amount that counts towards the limits of fees for each byte of a signed transaction. Present only
     * for OP-stack networks, which charge for the bytes in addition to gas.
     */
    readonly dataFeePerByteMinor?: bigint
  }[]
  readonly assets: readonly {
    readonly network: string
    readonly symbol: string
    /** The token's contract in canonical form; null for the native coin. */
    readonly contract: string | null
    readonly decimals: number
    readonly perTransactionMinor: bigint
  }[]
  /**
   * The limits for networks and assets that are not listed, such as test coins in the sandbox. Null if the
   * signer signs only for listed networks and assets.
   */
  readonly unnamed: { readonly feePerTransactionMinor: bigint; readonly dataFeePerByteMinor?: bigint } | null
}

/** The account xpubs of one UTXO network: for deposit addresses (`xpub`) and the hot wallet (`hotXpub`). */
export interface Account {
  readonly family: string
  readonly xpub: string
  /**
   * The xpub of the hot wallet and its change: m/84'/coin'/1', or m/44'/coin'/1' on chains without segwit.
   */
  readonly hotXpub: string
}

/** A transaction to sign: one that an account sends, or one that spends UTXOs. */
export type SignRequest = AccountRequest | UtxoRequest

interface RequestBase {
  readonly outgoingTransactionId: string
  readonly network: string
  readonly intent: Intent
}

export interface AccountRequest extends RequestBase {
  readonly chainId: number
  readonly from: WalletKeyPath
  readonly nonce: number
  /**
   * The transaction to sign, serialized in the format of its chain family, in hex without prefix. The signer
   * decodes the transaction and compares it with the intent.
   */
  readonly unsigned: string
}

export interface UtxoRequest extends RequestBase {
  /**
   * The outpoint, `<txid>:<vout>`, that all attempts of this outgoing transaction spend, so that at most one
   * attempt is ever mined.
   */
  readonly pinnedOutpoint: string
  /**
   * An unsigned PSBT (BIP 174) in base64. Each input contains the output that it spends, or on chains without
   * SegWit the whole previous transaction. Each input, and each output to ourselves, has the derivation path
   * of its key. The signer ignores the master key fingerprints in the PSBT.
   */
  readonly psbt: string
}

export type SignAnswer =
  | { readonly type: 'signed'; readonly txHash: string; readonly raw: string; readonly sequence: number }
  /** `code` is stable; `detail` is for people and contains no secret. */
  | { readonly type: 'refused'; readonly code: RefusalCode; readonly detail: string }

export type RefusalCode =
  /** The MAC or the order signature does not match the payment. */
  | 'not-approved'
  /** The transaction does something other than its intent says. */
  | 'not-as-intended'
  /**
   * The same intent, or the same payment in another intent, was signed with another nonce or pinned outpoint.
   * Or a UTXO belongs to another outgoing transaction.
   */
  | 'already-signed'
  /**
   * The transaction would exceed a limit of the policy: for one transaction, for 24 hours, in total, or for
   * fees.
   */
  | 'over-limit'
  | 'not-allowed'
  /** A halt is in force. An operator must lift it on the signer's host. */
  | 'halted'

/** A log entry: one signed transaction and the request for it. */
export type LogEntry = SignRequest & Signed

export interface Signed {
  /** Counts from 1, without gaps. */
  readonly sequence: number
  readonly txHash: string
  readonly raw: string
  readonly signedAt: Date
}

/**
 * Thrown when the signer does not answer. The last call may have had an effect, which only the signer's log
 * shows.
 */
export class SignerAwayError extends Error {
  override readonly name = 'SignerAwayError'
}
