/** The port to chains whose money lies in coins: outputs of transactions, each spent once and whole. */
import type { NetworkName } from '../networks.ts'
import type { BroadcastAnswer, SignedTransaction, TakenPlace } from '../port.ts'

/** What is asked for being mined soon, in the coin's smallest unit for 1,000 virtual bytes. */
export interface FeeRate {
  /** Never below `leastMinor`; above the network's `feeRateMax` only where that is. */
  readonly rateMinor: bigint
  /** The least that the nodes take into their mempools just now. */
  readonly leastMinor: bigint
  /** `usual`: the nodes have seen too little to tell, so that it is the network's `usualFeeRate`. */
  readonly source: 'estimate' | 'usual'
}

/** Blocks from `from` to `to`, both included. */
export interface BlockSpan {
  readonly from: number
  readonly to: number
}

/** The writing side of such a chain. Every method rejects with NodeError when no node answers. */
export interface CoinSender {
  readonly network: NetworkName
  /** @param blocks within which it should be mined */
  readFeeRate(blocks: number, signal: AbortSignal): Promise<FeeRate>
  /** What the mempool would say, which nobody is sent; undefined where the nodes cannot tell. @param raw in hex */
  testAccept(raw: string, signal: AbortSignal): Promise<BroadcastAnswer | undefined>
  /** @param raw in hex */
  broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer>
  /**
   * Which transaction spends a coin in blocks of `span`; undefined where none does up to its end, and where several nodes
   * do not tell the same. A hold is released by it, so it is shown, never concluded from what is not seen.
   * @param span begins where the coin is known to be unspent, so that no more is searched
   */
  findSpent(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentCoin | undefined>
  /** The transaction that waits in a mempool and spends a coin; undefined where none does. */
  findWaitingSpender(outpoint: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * The bytes, in hex and without witnesses, of transactions in a block, by their hashes, which the bytes were found to have;
   * without those that are not in it.
   */
  readMakers(
    blockHash: string,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}

/** Where a coin was spent, and by what. */
export interface SpentCoin extends TakenPlace {
  readonly txHash: string
}

/** The key of ours that a PSBT says is behind an input or an output: nothing of it is believed. */
export interface ClaimedKey {
  /** Compressed, in hex. */
  readonly publicKey: string
  /** Of BIP 32, with 2^31 added where it is hardened. */
  readonly path: readonly number[]
}

/** A coin that a transaction is to spend. Scripts are in hex. */
export interface SpendInput extends ClaimedKey {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly script: string
  /** Whether the transaction that made it is there whole, so that its amount cannot be another. */
  readonly isProven: boolean
}

export interface SpendOutput {
  readonly script: string
  readonly amountMinor: bigint
  /** Undefined where it goes to somebody else. */
  readonly key: ClaimedKey | undefined
}

/** A transaction before its signatures. */
export interface CoinSpend {
  readonly inputs: readonly SpendInput[]
  readonly outputs: readonly SpendOutput[]
  /** Virtual bytes that it has at most once it is signed (BIP 141). */
  readonly vbytes: number
}

/** The pure side of transactions of coins, on one network. */
export interface CoinCodec {
  /** Of a PSBT in base64, of which nothing else is taken than what is told here. @throws PsbtError where there is more to it */
  parse(psbt: string): CoinSpend
  /** Every input signed for the whole transaction (SIGHASH_ALL), by the private key of the public one that it names. */
  sign(psbt: string, keyOf: (publicKey: string) => Uint8Array): SignedTransaction
  /** The canonical spelling of an address; undefined where it is none of the network. */
  canonical(address: string): string | undefined
  /** What pays an address in canonical spelling. @throws Error where it is none */
  scriptOf(address: string): string
  /** What pays a key of ours: P2WPKH, or P2PKH where there are no witnesses. */
  scriptOfKey(publicKey: string): string
}

/** A PSBT that is none of ours; the message says why, in our own words. */
export class PsbtError extends Error {
  override readonly name = 'PsbtError'
}

/** Where a key of ours lies: m/purpose'/coin'/<account>'/<branch>/<index>, account 0 for deposits, 1 for the hot wallet. */
export interface KeyPlace {
  readonly account: 0 | 1
  readonly branch: number
  readonly index: number
}

/** A transaction of ours before it is signed. */
export interface CoinDraft {
  readonly inputs: readonly DraftInput[]
  readonly outputs: readonly DraftOutput[]
}

export interface DraftInput {
  readonly outpoint: string
  readonly amountMinor: bigint
  readonly key: KeyPlace
  /** The transaction that made the coin, in hex and without witnesses; needed where `needsMakers` says so. */
  readonly maker?: string
}

/** A transaction as it was sent. */
export interface CoinTransaction {
  readonly outpoints: readonly string[]
  readonly outputs: readonly {
    /** Undefined where its script has none. */
    readonly address: string | undefined
    readonly amountMinor: bigint
  }[]
}

export interface DraftOutput {
  /** In canonical spelling. */
  readonly address: string
  readonly amountMinor: bigint
  /** Of ours; undefined where it goes to somebody else. */
  readonly key: KeyPlace | undefined
}

/** Account xpubs under which keys lie, by their numbers. */
export interface AccountXpubs {
  readonly 0: string
  readonly 1: string
}

/** How transactions of a network are planned. Pure. Weights are in weight units (BIP 141). */
export interface CoinDrafts {
  readonly network: NetworkName
  /** Whether each input shows the whole transaction that made its coin: without witnesses no signature vouches for an amount. */
  readonly needsMakers: boolean
  /** What spending a coin of ours adds to a transaction, its witness included. */
  readonly inputWeight: number
  /** Of a transaction without inputs and outputs. */
  readonly emptyWeight: number
  outputWeight(address: string): number
  /** BIP 174 in base64, each input with what it spends, and with the path of its key, as each output of ours. */
  toPsbt(draft: CoinDraft, xpubs: AccountXpubs): string
  /** Reads back what `toPsbt` wrote. @throws Error where it is anything else */
  readPsbt(psbt: string): CoinDraft
  /**
   * What a transaction spends and pays, with or without its witnesses.
   * @throws NodeError where the bytes are none, or of another id
   */
  readRaw(txHash: string, raw: string): CoinTransaction
  /**
   * The id of signed bytes, in hex, that must be what was asked with a PSBT: no hash but this one is believed.
   * @throws SignedBytesError where they spend or pay anything else, or are not signed with the keys that it names
   */
  readSigned(psbt: string, raw: string): string
}
