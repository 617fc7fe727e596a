/**
 * The port between Coffer and a blockchain. A chain is told as facts about blocks; whoever reads them needs no
 * word of RPC, logs or traces. `chains/conformance/` states what every adapter promises, the fake included.
 */
import type { AddressFamily, ChainFamily, NetworkName } from './networks.ts'

/** One block of a chain. `hash` and `parentHash` are in the chain's own lower-case spelling. */
export interface BlockRef {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  /** The time the block states, which its producer chose. */
  readonly minedAt: Date
}

/** The highest block that may be followed. */
export interface Head extends BlockRef {
  /** Where the nodes say that the chain is, if that is not where enough of them agree. */
  readonly claimedHeight?: number
  /** Told by one of several nodes while the others are away. */
  readonly isOneWord?: boolean
}

/** What was moved: the network's own coin, or a token known by its contract (canonical spelling). */
export type TransferAsset = { readonly type: 'coin' } | { readonly type: 'token'; readonly contract: string }

/** A movement of value to `recipient` that happened in a block. Addresses are in canonical spelling. */
export interface Transfer {
  /**
   * Names the transfer for ever: the transaction's hash and the place within that transaction. It has no
   * block-wide index, so a transaction mined again elsewhere keeps its keys.
   */
  readonly key: string
  readonly txHash: string
  readonly asset: TransferAsset
  /** Absent where a chain has no single sender. */
  readonly sender: string | undefined
  /** Where there are several: all of them, if all can be told. */
  readonly senders?: readonly string[]
  /** Whoever signed its transaction, where one key did and it is not the sender: who pays through a contract. */
  readonly origin?: string
  readonly recipient: string
  /** In the asset's smallest unit, above zero. */
  readonly amountMinor: bigint
  /** Blocks, its own counted, before which the chain lets nobody spend it, as of a coinbase; absent where at once. */
  readonly maturesAfter?: number
}

/** An output that a transaction spends, named by the transaction that made it and its place there. */
export interface SpentOutpoint {
  readonly outpoint: string
  /** Of the transaction that spends it. */
  readonly txHash: string
}

export interface BlockFacts {
  readonly block: BlockRef
  /** Every successful transfer above zero in the block, to anyone, in the block's order. */
  readonly transfers: readonly Transfer[]
  /** All that its transactions spend; absent where the family has no outpoints. */
  readonly spent?: readonly SpentOutpoint[]
}

/** A transaction in a node's mempool. */
export interface WaitingTransaction {
  readonly txHash: string
  /** What it moves once it is mined, as `readBlock` will tell it. */
  readonly transfers: readonly Transfer[]
  /** The outpoints it spends. */
  readonly spends: readonly string[]
}

/** Where a transaction stands by a node's word. */
export type TransactionSight =
  | { readonly type: 'unknown' }
  /** In the node's mempool: in no block yet. */
  | { readonly type: 'pending' }
  /** Mined, and nothing of it holds. */
  | { readonly type: 'failed'; readonly height: number }
  /** `transfers` are all it made, to anyone and in any asset, as `readBlock` tells them. */
  | { readonly type: 'mined'; readonly block: BlockRef; readonly transfers: readonly Transfer[] }

/** What an adapter can do, as data. */
export interface ChainTraits {
  readonly family: ChainFamily
  /** Whether there are contracts: tokens, transactions that fail and yet are mined, transfers within a transaction. */
  readonly hasContracts: boolean
  /** Whether native transfers made by contracts are seen, and not only those at the top of a transaction. */
  readonly seesInternalTransfers: boolean
  /**
   * Whether money lies in outpoints, each spent once: then of two transactions that spend the same only one is ever mined,
   * and what waits in mempools is watched.
   */
  readonly hasOutpoints: boolean
}

/** Whether a node answered, and its answer cannot be used. An error with a cause means that the node could not be reached. */
export function isBadAnswer(error: unknown): error is NodeError {
  return error instanceof NodeError && error.cause === undefined
}

/** The node does not answer, or answers what cannot be true. The reader tries again; nothing is skipped. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
}

/** The node is of another chain than the one configured: its operator must be told, no retry helps. */
export class WrongChainError extends NodeError {}

/** An output as our own blocks told of it. */
export interface ToldCoin {
  readonly outpoint: string
  readonly recipient: string
  readonly amountMinor: bigint
}

/** An unspent output by a node's own list, with the block that made it. */
export interface ListedCoin extends ToldCoin {
  readonly height: number
}

/** Reads a chain. Every method rejects with NodeError when the node is away or contradicts itself. */
export interface ChainReader {
  readonly network: NetworkName
  readonly traits: ChainTraits
  /**
   * Refuses a node of another chain (its own id must be the network's), and one that cannot tell what its family's
   * nodes are asked for.
   */
  checkIdentity(signal: AbortSignal): Promise<void>
  readHead(signal: AbortSignal): Promise<Head>
  /** The highest block the chain itself calls final; undefined where it has no such notion. */
  readFinalHeight(signal: AbortSignal): Promise<number | undefined>
  /** The block now canonical at `height` with its transfers; undefined above the head. */
  readBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined>
  /** The header alone; undefined above the head. */
  readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined>
  /**
   * A second look by another path before money is booked: resolves when each of `txHashes`, told of in `block`, has a
   * receipt of that very block that says success, and rejects with NodeError otherwise. A node that tells of a transfer
   * and has no such receipt contradicts itself, or is just changing branches.
   */
  requireSuccess(block: BlockRef, txHashes: readonly string[], signal: AbortSignal): Promise<void>
  /**
   * Whose keys signed some transactions, by their signatures and by no node's word; undefined where nobody's did. Rejects with
   * NodeError where a node does not tell one of them. Absent where money lies in outpoints.
   */
  readonly readSigners?:
    | ((txHashes: readonly string[], signal: AbortSignal) => Promise<readonly (string | undefined)[]>)
    | undefined
  /** One transaction by its hash, for whoever asks what became of it; nothing is booked by it. */
  readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionSight>
  /** The mempool of the node. Present only on chains that have outpoints. */
  readonly mempool?: MempoolReader | undefined
  /** The balance of `address` at the block of `height`: the second path by which books are compared with chain. */
  readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly bigint[]>
  /** What a token's contract says that there is of it at the block of `height`; absent where there are no contracts. */
  readonly readTotalSupply?:
    | ((contract: string, height: number, signal: AbortSignal) => Promise<bigint>)
    | undefined
  /**
   * Outpoints of those coins that are not unspent as told at the block of `height`. There only where nodes cannot tell what an
   * address holds: then `readBalances` rejects, and each coin is asked for.
   */
  readonly findGone?:
    | ((coins: readonly ToldCoin[], height: number, signal: AbortSignal) => Promise<readonly string[]>)
    | undefined
  /**
   * What lies unspent at some addresses, made in blocks up to `height`, by the node's own list of unspent outputs at its head.
   * There only where nodes can look through that list for an address.
   */
  readonly listCoins?:
    | ((addresses: readonly string[], height: number, signal: AbortSignal) => Promise<readonly ListedCoin[]>)
    | undefined
  /**
   * Nodes, each alone, by which what was read before is checked: those that are not asked first, or both where there are two.
   * Absent where there is only one.
   */
  readonly checkingNodes?: readonly ChainReader[] | undefined
  /** Contracts that list sanctioned addresses. Present only on chains that have contracts. */
  readonly sanctions?: SanctionsReader | undefined
  /** Calls `onHead` for new heads until aborted. It may miss some or fall silent: only a hint to look sooner. */
  watchHeads(onHead: () => void, signal: AbortSignal): void
  close(): Promise<void>
}

/** Reads the mempool of a node. Every method rejects with NodeError when the node is away or contradicts itself. */
export interface MempoolReader {
  /** The hashes of all transactions in the mempool, in no order. */
  listMempool(signal: AbortSignal): Promise<readonly string[]>
  /** Those of `txHashes` that still wait in the mempool, in no order. */
  readWaiting(txHashes: readonly string[], signal: AbortSignal): Promise<readonly WaitingTransaction[]>
  /**
   * Returns the outpoints on which a waiting transaction depends, each with the transaction that spends it: its own inputs,
   * and the inputs of all its ancestors in the mempool. If another transaction spends one of them, this one can never be
   * mined. Undefined when the transaction is no longer in the mempool.
   */
  readLineage(txHash: string, signal: AbortSignal): Promise<readonly SpentOutpoint[] | undefined>
}

/** Asks a contract that names sanctioned addresses. */
export interface SanctionsReader {
  /**
   * Whether the oracle, a contract with `isSanctioned(address)`, lists each address at the head. Rejects with NodeError
   * where no contract lies at `oracle`: an address without code would clear everyone.
   */
  isListed(oracle: string, addresses: readonly string[], signal: AbortSignal): Promise<readonly boolean[]>
}

/** `address` is in canonical spelling. */
export type Destination = { readonly address: string } | { readonly fault: string }

/** The addresses of a network. Pure. */
export interface AddressCodec {
  readonly family: AddressFamily
  /** The canonical spelling under which addresses are stored and compared; undefined when it is no address. */
  canonical(text: string): string | undefined
  /** A destination as a person typed it; `fault` ends the sentence "The address ..." where no money must go there. */
  readDestination(text: string): Destination
  /** The spelling shown to people (EIP-55 on EVM). */
  display(canonical: string): string
  /** `count` receiving addresses of account xpub at <branch>/<from>.. in canonical spelling. */
  derive(xpub: string, branch: number, from: number, count: number): readonly string[]
  /**
   * Other addresses that the key of one derived here could spend from, which a payer may have taken for the same. What they
   * are paid is not watched, and can be recovered.
   */
  ofSameKey(canonical: string): readonly string[]
  /** A link a wallet opens: EIP-681 on EVM, else BIP 21. `amountMinor` is in the asset's smallest unit. */
  paymentUri(asset: TransferAsset, canonical: string, amountMinor: bigint): string
  /** The same for a wallet in the payer's browser; absent where the family's wallets take no such call. */
  walletCall?(asset: TransferAsset, canonical: string, amountMinor: bigint): WalletCall
}

/** The transaction that pays, as `eth_sendTransaction` takes it (EIP-1193); numbers in hex with 0x. */
export interface WalletCall {
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string
}

/** What a chain asks for being mined now, per unit of gas, in the coin's smallest unit (EIP-1559). */
export interface FeeLevel {
  readonly baseFeeMinor: bigint
  readonly tipMinor: bigint
}

/** What a transaction is to do, in the chain's own terms; addresses in canonical spelling. */
export type Spend =
  | {
      readonly type: 'pay'
      readonly asset: TransferAsset
      readonly recipient: string
      readonly amountMinor: bigint
    }
  /** Moves all that delegated addresses hold of some assets to the sender. */
  | {
      readonly type: 'gather'
      /** Where the contract lies to which they are delegated. */
      readonly delegate: string
      readonly addresses: readonly string[]
      readonly assets: readonly TransferAsset[]
      /** What this very transaction delegates first. */
      readonly delegations: readonly Delegation[]
    }
  | { readonly type: 'deploy'; readonly lanes: readonly string[] }

/** EIP-7702: `address`, whose nonce is now `nonce`, lets the code of `delegate` run as its own. */
export interface Delegation {
  readonly address: string
  readonly delegate: string
  readonly nonce: number
}

/** A transaction before its signature; it says nothing of its sender, whom only the signature tells. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeeMinor: bigint
  readonly tipMinor: bigint
  readonly spend: Spend
}

/** A transaction's receipt, by a node's word. */
export interface TransactionReceipt {
  readonly txHash: string
  readonly height: number
  readonly blockHash: string
  /** False where it was mined and did nothing. */
  readonly isSuccess: boolean
  /** What its sender paid for it, in the coin's smallest unit. */
  readonly feeMinor: bigint
}

/** How many transactions of an address a node shows, each count one above the last nonce that was used. */
export interface SentCounts {
  /** In final blocks; undefined where the node keeps no state of its last final block. */
  readonly final: number | undefined
  readonly latest: number
  /** With those that wait in the node's mempool; undefined where the node does not tell. */
  readonly pending: number | undefined
}

/** A transaction in a block, as it was signed; its bytes have the hash that was asked for. */
export interface SentTransaction extends SignedTransaction {
  /** As the signature shows. */
  readonly sender: string
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeeMinor: bigint
  readonly tipMinor: bigint
  /** Undefined where it does what no transaction of ours does. */
  readonly spend: Spend | undefined
}

/** Where what a payout of ours was to take was taken: a place in an address's order. */
export interface TakenPlace {
  readonly height: number
  readonly blockHash: string
  /** Undefined where a delegation took it (EIP-7702), which needs no transaction of its own. */
  readonly txHash: string | undefined
}

export type BroadcastAnswer =
  /** In the node's mempool, known there already, or mined. */
  | { readonly type: 'taken' }
  /**
   * `nonce-used`: another transaction of that nonce is mined. `coins-gone`: something it spends is spent in a block, or was
   * never made. `conflict`: another that waits spends the same and is not replaced. `underpriced`: it offers too little,
   * be it for replacing one.
   */
  | {
      readonly type: 'refused'
      readonly why: 'nonce-used' | 'coins-gone' | 'conflict' | 'underpriced' | 'no-funds' | 'other'
      readonly detail: string
    }

/** The writing side of a chain. Every method rejects with NodeError when no node answers. */
export interface ChainSender {
  readonly network: NetworkName
  /** @param raw in hex without prefix */
  broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer>
  /** In the order of the hashes; undefined for one that is in no block of the node's chain. */
  readReceipts(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (TransactionReceipt | undefined)[]>
  close(): Promise<void>
}

/** Of a chain whose addresses count what they send. */
export interface AccountSender extends ChainSender {
  /** Whether addresses can be delegated there (EIP-7702). */
  readonly canDelegate: boolean
  readFees(signal: AbortSignal): Promise<FeeLevel>
  /** The gas that `spend` takes when `sender` sends it now; `fault` where it would fail. */
  estimateGas(
    sender: string,
    spend: Spend,
    signal: AbortSignal,
  ): Promise<{ readonly gas: bigint } | { readonly fault: string }>
  /** How many transactions of each address are in blocks up to `height`, or up to the head. */
  readNonces(
    addresses: readonly string[],
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<readonly number[]>
  /**
   * What each node shows of each address, in the order of the nodes; undefined for a node that could not be asked. Nothing
   * is agreed on: a single node that shows more than is known is a reason to stop.
   */
  readSentCounts(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly SentCounts[] | undefined)[]>
  /** The transaction of that hash as it was signed; undefined where no node has it, or its bytes cannot be made anew. */
  readSent(txHash: string, signal: AbortSignal): Promise<SentTransaction | undefined>
  /**
   * Where `nonce` of an address was taken, in blocks up to `height`; undefined where it is free there, and where several
   * nodes do not tell the same. A hold is released by it, so it is shown, never concluded from what is not seen.
   */
  findTaken(
    address: string,
    nonce: number,
    height: number,
    signal: AbortSignal,
  ): Promise<TakenPlace | undefined>
  /** The contract each address is delegated to; undefined for one that is not. */
  readDelegates(addresses: readonly string[], signal: AbortSignal): Promise<readonly (string | undefined)[]>
  /** Whether there is code at an address. */
  hasCode(address: string, signal: AbortSignal): Promise<boolean>
}

/** By the key of `address`; the digest, `r` and `s` are 32 bytes in hex with the prefix 0x. */
export type SignDigest = (
  address: string,
  digest: string,
) => Promise<{ readonly r: string; readonly s: string; readonly yParity: number }>

/** `raw` is in hex without prefix. */
export interface SignedTransaction {
  readonly txHash: string
  readonly raw: string
}

/** The pure side of a family's transactions. Bytes are in hex without prefix. */
export interface SpendCodec {
  readonly family: ChainFamily
  serialize(transaction: UnsignedTransaction): string
  /** Reads back what `serialize` wrote. @throws Error where the bytes are anything else */
  parse(bytes: string): UnsignedTransaction
  /**
   * Signs the transaction and what it delegates.
   * @throws Error where a signature is not of the address that had to sign
   */
  sign(transaction: UnsignedTransaction, sender: string, signDigest: SignDigest): Promise<SignedTransaction>
  /**
   * What signed bytes are: whoever asked for them compares it with what was asked, and believes no hash but this one.
   * @param sender in canonical spelling
   * @throws SignedBytesError unless they are a transaction of ours that this sender signed, with what it delegates
   */
  readSigned(raw: string, sender: string): ReadSigned
  /** The contract to which deposit addresses are delegated where these lanes may sweep; 1 to 16 of them. */
  delegateOf(lanes: readonly string[]): string
}

export interface ReadSigned {
  readonly txHash: string
  /** The bytes before they were signed, as `serialize` writes them. */
  readonly unsigned: string
}

/** Signed bytes are not what they must be; the message says in what. */
export class SignedBytesError extends Error {
  override readonly name = 'SignedBytesError'
}
