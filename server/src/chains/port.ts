/**
 * The port between Coffer and a blockchain. A chain is told as facts about blocks; whoever reads them needs no
 * word of RPC, logs or traces. `chains/conformance.ts` states what every adapter promises, the fake included.
 */
import type { ChainFamily, NetworkName } from './networks.ts'

/** One block of a chain. `hash` and `parentHash` are in the chain's own lower-case spelling. */
export interface BlockRef {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  /** The time the block states, which its producer chose. */
  readonly minedAt: Date
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
  readonly recipient: string
  /** In the asset's smallest unit, above zero. */
  readonly amountMinor: bigint
}

export interface BlockFacts {
  readonly block: BlockRef
  /** Every successful transfer above zero in the block, to anyone, in the block's order. */
  readonly transfers: readonly Transfer[]
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
  /** Whether native transfers made by contracts are seen, and not only those at the top of a transaction. */
  readonly seesInternalTransfers: boolean
}

/** The node does not answer, or answers what cannot be true. The reader tries again; nothing is skipped. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
}

/** The node is of another chain than the one configured: its operator must be told, no retry helps. */
export class WrongChainError extends NodeError {}

/** Reads a chain. Every method rejects with NodeError when the node is away or contradicts itself. */
export interface ChainReader {
  readonly network: NetworkName
  readonly traits: ChainTraits
  /**
   * Refuses a node of another chain (its own id must be the network's), and one that cannot tell what its family's
   * nodes are asked for.
   */
  checkIdentity(signal: AbortSignal): Promise<void>
  readHead(signal: AbortSignal): Promise<BlockRef>
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
  /** One transaction by its hash, for whoever asks what became of it; nothing is booked by it. */
  readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionSight>
  /** The balance of `address` at the block of `height`: the second path by which books are compared with chain. */
  readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly bigint[]>
  /** Calls `onHead` for new heads until aborted. It may miss some or fall silent: only a hint to look sooner. */
  watchHeads(onHead: () => void, signal: AbortSignal): void
  close(): Promise<void>
}

/** `address` is in canonical spelling. */
export type Destination = { readonly address: string } | { readonly fault: string }

/** The pure side of a family: addresses. */
export interface AddressCodec {
  readonly family: ChainFamily
  /** The canonical spelling under which addresses are stored and compared; undefined when it is no address. */
  canonical(text: string): string | undefined
  /** A destination as a person typed it; `fault` ends the sentence "The address ..." where no money must go there. */
  readDestination(text: string): Destination
  /** The spelling shown to people (EIP-55 on EVM). */
  display(canonical: string): string
  /** `count` receiving addresses of account xpub at <branch>/<from>.. in canonical spelling. */
  derive(xpub: string, branch: number, from: number, count: number): readonly string[]
  /** A link a wallet opens: EIP-681 on EVM. `amountMinor` is in the asset's smallest unit. */
  paymentUri(asset: TransferAsset, chainId: number, canonical: string, amountMinor: bigint): string
}
