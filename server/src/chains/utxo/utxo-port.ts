/**
 * The port to UTXO chains, where coins are kept in outputs of transactions. An output is spent once, and
 * always as a whole.
 */
import type { NetworkName } from '../networks.ts'
import type { BroadcastAnswer, SignedTransaction, TakenSlot } from '../port.ts'

/** The fee rate at which a transaction is mined soon, in the coin's smallest unit for 1,000 virtual bytes. */
export interface FeeRate {
  /**
   * The fee rate to use. The rate is at least `leastMinor`. The rate exceeds the network's `feeRateMax` only
   * if `leastMinor` does.
   */
  readonly rateMinor: bigint
  /** The lowest rate that the nodes now accept into their mempools. */
  readonly leastMinor: bigint
  /** `usual`: the nodes saw too few blocks for an estimate, so the rate is the network's `usualFeeRate`. */
  readonly source: 'estimate' | 'usual'
}

/** The blocks from `from` to `to`, both included. */
export interface BlockSpan {
  readonly from: number
  readonly to: number
}

/** Sends transactions to a UTXO chain. Every method rejects with NodeError if no node answers. */
export interface UtxoSender {
  readonly network: NetworkName
  /**
   * Returns the current fee rate.
   * @param blocks is the number of blocks within which the transaction should be mined
   */
  readFeeRate(blocks: number, signal: AbortSignal): Promise<FeeRate>
  /**
   * Tests whether nodes would accept a transaction into their mempools, without sending it. Undefined if the
   * nodes do not support the test.
   * @param raw is the signed transaction in hex
   */
  testAccept(raw: string, signal: AbortSignal): Promise<BroadcastAnswer | undefined>
  /** Sends a signed transaction. @param raw is the transaction in hex */
  broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer>
  /**
   * Returns the transaction that spends an output in a block of `span`, and this block. Undefined if no block
   * of `span` spends the output, or if nodes disagree. The caller may release held money because of this
   * result. Only a block that nodes report therefore proves that the output was spent. If nodes cannot find one
   * of our transactions, that does not prove it.
   * @param span begins where the output is known to be unspent, which limits the search
   */
  findSpent(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentOutput | undefined>
  /** Returns the hash of a transaction in a mempool that spends the output; undefined if none does. */
  findWaitingSpender(outpoint: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Returns the bytes of some transactions of a block, by transaction hash. The bytes are in hex and without
   * witnesses, and are verified against the hash. Transactions that are not in the block are left out.
   */
  readPreviousTransactions(
    blockHash: string,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}

/** The block and the transaction that spent an output. */
export interface SpentOutput extends TakenSlot {
  readonly txHash: string
}

/** The key of ours to which an input or output belongs, as a PSBT claims. The claim must be checked. */
export interface ClaimedKey {
  /** The compressed public key in hex. */
  readonly publicKey: string
  /** The key's BIP 32 path. Numbers of hardened levels have 2^31 added. */
  readonly path: readonly number[]
}

/** A UTXO that a transaction is to spend. Scripts are in hex. */
export interface SpendInput extends ClaimedKey {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly script: string
  /**
   * Whether the PSBT contains the whole transaction that created the output. That transaction proves the
   * output's amount.
   */
  readonly isProven: boolean
}

export interface SpendOutput {
  readonly script: string
  readonly amountMinor: bigint
  /** The key to which the output pays; undefined if the output pays somebody else. */
  readonly key: ClaimedKey | undefined
}

/** A transaction before it is signed. */
export interface UtxoSpend {
  readonly inputs: readonly SpendInput[]
  readonly outputs: readonly SpendOutput[]
  /** Maximum number of virtual bytes of the signed transaction (BIP 141). */
  readonly vbytes: number
}

/** Parses and signs UTXO transactions of one network. All functions are pure. */
export interface UtxoCodec {
  /** Parses a PSBT in base64. @throws PsbtError if the PSBT has more content than the result can hold */
  parse(psbt: string): UtxoSpend
  /**
   * Signs every input with the private key that belongs to the input's public key. Each signature covers the
   * whole transaction (SIGHASH_ALL).
   */
  sign(psbt: string, keyOf: (publicKey: string) => Uint8Array): SignedTransaction
  /** Returns the canonical form of an address; undefined if the text is not an address of the network. */
  canonical(address: string): string | undefined
  /** Returns the script that pays a canonical address. @throws Error if the text is not an address */
  scriptOf(address: string): string
  /** Returns the script that pays a key of ours: P2WPKH, or P2PKH on chains without SegWit. */
  scriptOfKey(publicKey: string): string
}

/** The PSBT is not one of ours. The message states the reason in Coffer's own words. */
export class PsbtError extends Error {
  override readonly name = 'PsbtError'
}

/**
 * The path of a key of ours: m/purpose'/coin'/<account>'/<branch>/<index>. Account 0 is for deposits, account
 * 1 for hot wallets.
 */
export interface AccountKeyPath {
  readonly account: 0 | 1
  readonly branch: number
  readonly index: number
}

/** A transaction of ours before it is signed. */
export interface UtxoDraft {
  readonly inputs: readonly DraftInput[]
  readonly outputs: readonly DraftOutput[]
}

export interface DraftInput {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly key: AccountKeyPath
  /** The transaction that created the output, in hex without witnesses. Required on chains without SegWit. */
  readonly previousTransaction?: string
}

/** A sent transaction: the outpoints that it spends, and its outputs. */
export interface UtxoTransaction {
  readonly outpoints: readonly string[]
  readonly outputs: readonly {
    /** Undefined if the output's script has no address. */
    readonly address: string | undefined
    readonly amountMinor: bigint
  }[]
}

export interface DraftOutput {
  /** The recipient's address in canonical form. */
  readonly address: string
  readonly amountMinor: bigint
  /** The path of the key of ours that is paid; undefined if the output pays somebody else. */
  readonly key: AccountKeyPath | undefined
}

/** The extended public keys of the accounts, by account number. */
export interface AccountXpubs {
  readonly 0: string
  readonly 1: string
}

/** Plans transactions of a network. All functions are pure. Weights are in weight units (BIP 141). */
export interface UtxoDrafts {
  readonly network: NetworkName
  /**
   * Whether each input of a PSBT must contain the whole transaction that created the spent output. On chains
   * without SegWit, signatures do not cover the amounts of inputs.
   */
  readonly needsPreviousTransactions: boolean
  /** Weight that each input, including its witness, adds to a transaction. */
  readonly inputWeight: number
  /** Weight of a transaction without inputs and outputs. */
  readonly emptyWeight: number
  outputWeight(address: string): number
  /**
   * Returns a PSBT (BIP 174) in base64. Each input contains the output that it spends, and the path of its
   * key. Each output that pays to us contains the path of its key.
   */
  toPsbt(draft: UtxoDraft, xpubs: AccountXpubs): string
  /** Parses a PSBT that `toPsbt` returned. @throws Error if the PSBT is anything else */
  readPsbt(psbt: string): UtxoDraft
  /**
   * Parses a transaction and returns the outpoints that it spends, and its outputs. The bytes may be with or
   * without witnesses.
   * @throws NodeError if the bytes are not a transaction, or have another id than `txHash`
   */
  readRaw(txHash: string, raw: string): UtxoTransaction
  /**
   * Checks signed bytes against the PSBT, and returns the transaction's id in hex. The id is computed from
   * the bytes, because an id from the signer is not trusted.
   * @throws SignedBytesError if the bytes spend or pay anything else than the PSBT, or are not signed with
   * the keys that the PSBT names
   */
  readSigned(psbt: string, raw: string): string
}
