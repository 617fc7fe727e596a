/**
 * The port between Coffer and a blockchain. An adapter implements the port for one family of chains, and
 * reports facts about blocks. Callers of the port do not deal with RPC, logs or traces. The tests in
 * `chains/conformance/` check every adapter, including the fake adapter.
 */
import type { AddressFamily, ChainFamily, NetworkName } from './networks.ts'

/**
 * Identifies one block of a chain. `hash` and `parentHash` have the chain's usual notation, in lower case.
 */
export interface BlockRef {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  /** The timestamp in the block's header, which the block's producer chose. */
  readonly minedAt: Date
}

/** The highest block that may be booked. */
export interface Head extends BlockRef {
  /**
   * The chain's height as the nodes claim it. This height may be above the head's own height, because nodes
   * may lack the newest blocks or not agree on them.
   */
  readonly claimedHeight?: number
  /** True if only one of several nodes answered. */
  readonly hasSingleNode?: boolean
}

/** What a transfer moves: the network's coin, or a token, named by its contract's canonical address. */
export type TransferAsset = { readonly type: 'coin' } | { readonly type: 'token'; readonly contract: string }

/** A movement of value to `recipient` that happened in a block. Addresses are in canonical form. */
export interface Transfer {
  /**
   * Identifies the transfer permanently. The key consists of the transaction's hash and the transfer's index
   * within the transaction. If the transaction is mined again in another block, its transfers keep their
   * keys.
   */
  readonly key: string
  readonly txHash: string
  readonly asset: TransferAsset
  /** Undefined if the transfer has no single sender. */
  readonly sender: string | undefined
  /** All senders. Present only if there are several senders and all of them are known. */
  readonly senders?: readonly string[]
  /**
   * The account that signed the transaction. Present only if one key signed and its account is not the
   * sender, for example if a contract made the transfer.
   */
  readonly origin?: string
  readonly recipient: string
  /** In the asset's smallest unit; above zero. */
  readonly amountMinor: bigint
  /**
   * Number of confirmations that the chain requires before the transfer can be spent, as for a coinbase. The
   * transfer's own block is the first confirmation. Absent if the transfer can be spent at once.
   */
  readonly maturesAfter?: number
}

/**
 * An output that a transaction spends. `outpoint` consists of the id of the transaction that created the
 * output, and the output's index in that transaction.
 */
export interface SpentOutpoint {
  readonly outpoint: string
  /** The hash of the transaction that spends the output. */
  readonly txHash: string
}

export interface BlockFacts {
  readonly block: BlockRef
  /** Every successful transfer above zero in the block, to any recipient, in the block's order. */
  readonly transfers: readonly Transfer[]
  /** All outpoints that the block's transactions spend. Absent on chains without outpoints. */
  readonly spent?: readonly SpentOutpoint[]
  /** The hashes of all transactions in the block's order. Absent on UTXO chains and if there are none. */
  readonly txHashes?: readonly string[]
  /**
   * The method by which the node reported the calls of an EVM block. Nodes that report the same transfers by
   * different methods agree. Absent if the block has no transactions, and on other chains.
   */
  readonly tracedBy?: TracedBy
}

/**
 * How the calls of an EVM block were read. With `none`, no node reported them, so `transfers` lack the coin that
 * contracts sent.
 */
export type TracedBy = 'trace_block' | 'debug_traceBlockByHash' | 'none'

/** A transaction in a node's mempool. */
export interface WaitingTransaction {
  readonly txHash: string
  /** The transfers that the transaction makes once it is mined, as `readBlock` will report them. */
  readonly transfers: readonly Transfer[]
  readonly spends: readonly string[]
}

/** The state of a transaction as a node reports it. */
export type TransactionLookup =
  | { readonly type: 'unknown' }
  /** The transaction is in the node's mempool and not yet in a block. */
  | { readonly type: 'pending' }
  /** The transaction was mined but failed, so none of its effects apply. */
  | { readonly type: 'failed'; readonly height: number }
  /**
   * The transaction was mined. `transfers` are all its transfers, to any recipient and in any asset, as
   * `readBlock` reports them.
   */
  | { readonly type: 'mined'; readonly block: BlockRef; readonly transfers: readonly Transfer[] }

/** The properties of a chain and of the adapter that reads it. */
export interface ChainTraits {
  readonly family: ChainFamily
  /**
   * Whether the chain has contracts. A chain with contracts also has tokens, transactions that are mined but
   * fail, and transfers that contracts make within a transaction.
   */
  readonly hasContracts: boolean
  /**
   * Whether the adapter sees the coin transfers that contracts make within a transaction. If false, the
   * adapter sees only the transfer that the transaction itself makes, and what contracts sent is found by
   * comparing balances. May change while the adapter is used. True until the node was asked for the first time.
   */
  readonly seesInternalTransfers: boolean
  /**
   * Whether the chain keeps coins in outputs, as UTXO chains do. Of two transactions that spend the same
   * outpoint, only one can be mined. On a chain with outpoints, Coffer also watches the mempool.
   */
  readonly hasOutpoints: boolean
}

/**
 * Decides whether the error means that a node answered, but with an answer that cannot be used. A NodeError
 * that has a cause means that the node could not be reached.
 */
export function isBadAnswer(error: unknown): error is NodeError {
  return error instanceof NodeError && error.cause === undefined
}

/** Returns the error if `isBadAnswer` is true for it. Rethrows any other error. */
export function asBadAnswer(error: unknown): NodeError {
  if (isBadAnswer(error)) return error
  throw error
}

/** Returns undefined if `isBadAnswer` is true for the error. Rethrows any other error. */
export function undefinedIfBadAnswer(error: unknown): undefined {
  asBadAnswer(error)
}

/** The node did not answer, or its answer cannot be true. The caller must retry and must not skip a block. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
}

/** The node belongs to another chain than the configured one. A retry does not help. */
export class WrongChainError extends NodeError {}

/** How many nodes an answer needs. */
export interface AgreementOptions {
  /**
   * Whether two nodes must agree if several are configured, even while all others are away. For answers that alone
   * decide that money exists.
   */
  readonly needsTwo?: boolean
}

/** An output as it was read from a block. */
export interface KnownOutput {
  readonly outpoint: string
  readonly recipient: string
  readonly amountMinor: bigint
}

/** An unspent output from a node's UTXO set, with the height of the block that created the output. */
export interface UnspentOutput extends KnownOutput {
  readonly height: number
}

/**
 * A transfer of a token as its log alone shows it. The log's index in its transaction is not known, so the
 * transfer has no key.
 */
export interface SightedTransfer extends Pick<Transfer, 'txHash' | 'recipient'> {
  readonly contract: string
}

/** A block, and the transfers of some tokens in it. */
export interface SightedBlock {
  readonly block: BlockRef
  readonly transfers: readonly SightedTransfer[]
}

/** Reads transfers of tokens from logs alone, with few requests for many blocks. */
export interface TokenReader {
  /**
   * Returns the blocks from `from` to `to` with all successful transfers of the tokens `contracts`. Returns no
   * blocks if the node does not have the last one yet.
   */
  readSighted(
    range: { readonly from: number; readonly to: number },
    contracts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly SightedBlock[]>
  /** Returns all token transfers of these transactions of `block`, in their order, as `readBlock` reports them. */
  readTransfers(
    block: BlockRef,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Transfer[]>
}

/** Reads a chain. Every method rejects with NodeError if the node is unreachable or contradicts itself. */
export interface ChainReader {
  readonly network: NetworkName
  readonly traits: ChainTraits
  /**
   * Checks that the node belongs to the network's chain, by the chain id (EVM) or the genesis hash (UTXO).
   * Rejects if the node belongs to another chain, or lacks a feature that the reader needs.
   */
  checkIdentity(signal: AbortSignal): Promise<void>
  readHead(signal: AbortSignal): Promise<Head>
  /** Returns the highest height that the chain calls final; undefined if the chain has no finality. */
  readFinalHeight(signal: AbortSignal): Promise<number | undefined>
  /** Returns the canonical block at `height` with its transfers; undefined if `height` is above the head. */
  readBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined>
  /** Returns the header of the canonical block at `height`; undefined if `height` is above the head. */
  readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined>
  /**
   * Checks that transactions of `block` succeeded, before deposits are booked from that block. The check is
   * independent of `readBlock`. Resolves if each transaction has a receipt that reports success and names
   * that block; on UTXO chains, a Merkle proof replaces the receipt. If any receipt or proof is missing,
   * rejects with NodeError: the node contradicts itself, or is just switching to another fork.
   */
  requireSuccess(block: BlockRef, txHashes: readonly string[], signal: AbortSignal): Promise<void>
  /**
   * Returns the signer of each transaction. Signers are recovered from the signatures, because a node's claim
   * proves nothing. An entry is undefined if the transaction has no valid signature. Rejects with NodeError
   * if a node does not return one of the transactions. Absent on chains with outpoints.
   */
  readonly readSigners?:
    | ((txHashes: readonly string[], signal: AbortSignal) => Promise<readonly (string | undefined)[]>)
    | undefined
  /** Returns the state of one transaction for display. Nothing is booked from the result. */
  readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionLookup>
  /** Present if and only if tokens alone are accepted on the network, so that blocks need not be read whole. */
  readonly tokens?: TokenReader | undefined
  /** Reads the node's mempool. Present if and only if the chain has outpoints. */
  readonly mempool?: MempoolReader | undefined
  /**
   * Returns the balance of each address after the block at `height`. The books are compared with these
   * balances, because nodes report them independently of the transfers in blocks.
   */
  readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
    options?: AgreementOptions,
  ): Promise<readonly bigint[]>
  /**
   * Returns a token's total supply at `height`, as the token's contract reports it. Absent if the chain has
   * no contracts.
   */
  readonly readTotalSupply?:
    | ((contract: string, height: number, signal: AbortSignal) => Promise<bigint>)
    | undefined
  /**
   * Returns the outpoints of those `outputs` that are spent or unknown after the block at `height`, or have
   * another recipient or amount. Present only if the nodes cannot report balances of addresses. In that case
   * `readBalances` rejects, and the caller uses this method to check each output.
   */
  readonly findGone?:
    | ((outputs: readonly KnownOutput[], height: number, signal: AbortSignal) => Promise<readonly string[]>)
    | undefined
  /**
   * Returns the outputs to `addresses` that were created at or below `height` and are unspent at the node's
   * head. The outputs come from the node's UTXO set. Present only if nodes can search their UTXO set by
   * address.
   */
  readonly listUnspent?:
    | ((
        addresses: readonly string[],
        height: number,
        signal: AbortSignal,
      ) => Promise<readonly UnspentOutput[]>)
    | undefined
  /**
   * Readers of the nodes from which booked blocks are read again as a check, one for each node. If there are
   * two nodes, both are included. If there are more, the two that are asked first are left out, because the
   * booked blocks usually came from them. Absent if there is only one node.
   */
  readonly checkingNodes?: readonly ChainReader[] | undefined
  /**
   * Decides whether there is a contract at the address at the head. An account that is delegated to a contract
   * (EIP-7702) is not one, because its key controls it on every network. Present if and only if the chain has
   * contracts.
   */
  readonly isContract?: ((address: string, signal: AbortSignal) => Promise<boolean>) | undefined
  /** Queries contracts that list sanctioned addresses. Present if and only if the chain has contracts. */
  readonly sanctions?: SanctionsReader | undefined
  /** Calls `onHead` for new heads until `signal` aborts. Calls may be missed, so callers must also poll. */
  watchHeads(onHead: () => void, signal: AbortSignal): void
  close(): Promise<void>
}

/** Reads a node's mempool. Methods reject with NodeError if the node is unreachable or contradicts itself. */
export interface MempoolReader {
  /** Returns the hashes of all transactions in the mempool, in no order. */
  listMempool(signal: AbortSignal): Promise<readonly string[]>
  /** Returns the transactions among `txHashes` that are still in the mempool, in no order. */
  readWaiting(txHashes: readonly string[], signal: AbortSignal): Promise<readonly WaitingTransaction[]>
  /**
   * Returns the outpoints that a transaction in the mempool spends, and those that its unconfirmed ancestors
   * spend. If another transaction that spends any of these outpoints is mined, the given transaction can
   * never be mined. Undefined if the given transaction is no longer in the mempool.
   */
  readAncestors(txHash: string, signal: AbortSignal): Promise<readonly SpentOutpoint[] | undefined>
}

/** Queries a contract that lists sanctioned addresses. */
export interface SanctionsReader {
  /**
   * Decides for each address whether the oracle lists it at the head. The oracle is a contract with the
   * function `isSanctioned(address)`. Rejects with NodeError if there is no contract at `oracle`, because the
   * addresses cannot be checked then.
   */
  isListed(oracle: string, addresses: readonly string[], signal: AbortSignal): Promise<readonly boolean[]>
}

/** A payment destination: its address in canonical form, or the reason why it must not be paid. */
export type Destination = { readonly address: string } | { readonly error: string }

/** The address rules of a network. All functions are pure. */
export interface AddressCodec {
  readonly family: AddressFamily
  /**
   * Returns the canonical form of an address, in which addresses are stored and compared. Undefined if the
   * text is not an address.
   */
  canonical(text: string): string | undefined
  /**
   * Parses a destination that a person typed. If the destination must not be paid, `error` completes a
   * sentence that begins with "The address".
   */
  readDestination(text: string): Destination
  /** Returns the form of an address that is shown to people; on EVM with the checksum of EIP-55. */
  display(canonical: string): string
  /**
   * Derives `count` receiving addresses from an account xpub, in canonical form. The first address has the
   * path <branch>/<from> below the account.
   */
  derive(xpub: string, branch: number, from: number, count: number): readonly string[]
  /**
   * Returns the addresses of other types that belong to the key of a derived address, and that a payer may
   * use by mistake. Coffer does not watch these addresses, but money paid to them can be recovered with the
   * key.
   */
  ofSameKey(canonical: string): readonly string[]
  /**
   * Returns a link that opens a wallet: by EIP-681 on EVM chains, by BIP 21 on UTXO chains. `amountMinor` is
   * in the asset's smallest unit.
   */
  paymentUri(asset: TransferAsset, canonical: string, amountMinor: bigint): string
  /**
   * Returns a payment as a request to a wallet in the browser. Absent if wallets of the chain accept no such
   * requests.
   */
  walletCall?(asset: TransferAsset, canonical: string, amountMinor: bigint): WalletCall
}

/**
 * The parameters of `eth_sendTransaction` for a payment (EIP-1193). Numbers are in hex with the prefix 0x.
 */
export interface WalletCall {
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string
}

/** The parameters of `wallet_addEthereumChain`, with which a payer's wallet adds a network (EIP-3085). */
export interface WalletChain {
  readonly chainId: string
  readonly chainName: string
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls?: readonly string[]
}

/**
 * The current fees per unit of gas, in the coin's smallest unit (EIP-1559). On a network without base fees, the
 * base fee is 0 and the priority fee is the whole price.
 */
export interface FeeLevel {
  readonly baseFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** What a transaction of ours does, in the terms of its chain. Addresses are in canonical form. */
export type Spend =
  | {
      readonly type: 'pay'
      readonly asset: TransferAsset
      readonly recipient: string
      readonly amountMinor: bigint
    }
  /** Moves to the transaction's sender the whole balances that delegated addresses have of some assets. */
  | {
      readonly type: 'sweep'
      /** The address of the contract to which `addresses` are delegated. */
      readonly delegate: string
      readonly addresses: readonly string[]
      readonly assets: readonly TransferAsset[]
      /** The delegations (EIP-7702) that the transaction makes before it sweeps. */
      readonly delegations: readonly Delegation[]
    }
  | { readonly type: 'deploy'; readonly hotWallets: readonly string[] }

/**
 * An EIP-7702 delegation: the account `address` runs the code of `delegate` as its own. `nonce` is the
 * account's current nonce.
 */
export interface Delegation {
  readonly address: string
  readonly delegate: string
  readonly nonce: number
}

/**
 * The fees that a transaction offers for being mined (EIP-1559), in the coin's smallest unit. On a network without
 * base fees, both fees are the one price of the transaction.
 */
export interface EvmFees {
  readonly gasLimit: bigint
  /** The maximum that the transaction pays for one unit of gas. */
  readonly maxFeePerGas: bigint
  /** The maximum that goes to the block's producer for one unit of gas. It is part of `maxFeePerGas`. */
  readonly maxPriorityFeePerGas: bigint
}

/** A transaction before it is signed. The sender is not stated; only the signature reveals the sender. */
export interface UnsignedTransaction extends EvmFees {
  readonly chainId: number
  readonly nonce: number
  readonly spend: Spend
}

/** A transaction's receipt as a node reports it. */
export interface TransactionReceipt {
  readonly txHash: string
  readonly height: number
  readonly blockHash: string
  /** False if the transaction was mined but failed. */
  readonly isSuccess: boolean
  /** The fee that the transaction's sender paid, in the coin's smallest unit. */
  readonly feeMinor: bigint
}

/**
 * The numbers of transactions that an address has sent, as one node reports them. Each number equals the
 * address's last used nonce plus one.
 */
export interface SentCounts {
  /** Number of transactions in final blocks; undefined if the node lacks the state of those blocks. */
  readonly final: number | undefined
  readonly latest: number
  /** Number of transactions in blocks and mempool; undefined if the node does not report the number. */
  readonly pending: number | undefined
}

/** A transaction that was sent, as it was signed. The hash of its bytes is the requested hash. */
export interface SentTransaction extends SignedTransaction, EvmFees {
  /** The sender recovered from the signature. */
  readonly sender: string
  readonly nonce: number
  /** Undefined if the transaction does something that transactions of ours never do. */
  readonly spend: Spend | undefined
}

/** The block in which the nonce of an outgoing transaction was used, whichever transaction used the nonce. */
export interface TakenSlot {
  readonly height: number
  readonly blockHash: string
  /**
   * The transaction that used the nonce. Undefined if a delegation used it (EIP-7702). A delegation can be
   * part of another address's transaction, so the address itself may have sent none.
   */
  readonly txHash: string | undefined
}

export type BroadcastAnswer =
  /** The transaction is in the node's mempool, was already known to the node, or is mined. */
  | { readonly type: 'taken' }
  /**
   * The node rejected the transaction. `nonce-used`: another transaction with that nonce is mined.
   * `missing-inputs`: an input is spent in a block or never existed. `conflict`: another transaction in the
   * mempool spends the same output and is not replaced. `underpriced`: the fee is too low for the mempool, or
   * too low to replace another transaction.
   */
  | {
      readonly type: 'refused'
      readonly why: 'nonce-used' | 'missing-inputs' | 'conflict' | 'underpriced' | 'no-funds' | 'other'
      readonly detail: string
    }

/** Sends transactions to a chain. Every method rejects with NodeError if no node answers. */
export interface ChainSender {
  readonly network: NetworkName
  /** Sends a signed transaction. @param raw is the transaction in hex without the prefix 0x */
  broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer>
  /**
   * Returns receipts in the order of `txHashes`. A receipt is undefined if the transaction is in no block.
   * With several nodes, it is also undefined if no two of them agree on it.
   * @param agreedUpTo is a height. If it is given and no two nodes agree on a receipt up to this height, the
   * promise rejects with NodeError.
   */
  readReceipts(
    txHashes: readonly string[],
    signal: AbortSignal,
    agreedUpTo?: number,
  ): Promise<readonly (TransactionReceipt | undefined)[]>
  close(): Promise<void>
}

/** The sender of an account-based chain, where each address numbers its transactions with a nonce. */
export interface AccountSender extends ChainSender {
  /** Whether addresses on this chain can be delegated (EIP-7702). */
  readonly canDelegate: boolean
  readFees(signal: AbortSignal): Promise<FeeLevel>
  /**
   * Returns, for each transaction, the fee that it would pay now in addition to its gas, if it used its whole
   * gas limit. OP-stack networks charge such a fee for the transaction's bytes. On other networks the fee is 0,
   * and no node is asked. The fee changes with each block of the chain below, so callers add a margin.
   */
  readDataFees(transactions: readonly UnsignedTransaction[], signal: AbortSignal): Promise<readonly bigint[]>
  /** Estimates the gas of `spend` if sent by `sender` now. Returns `error` if the transaction would fail. */
  estimateGas(
    sender: string,
    spend: Spend,
    signal: AbortSignal,
  ): Promise<{ readonly gas: bigint } | { readonly error: string }>
  /** Returns the nonce of each address after the block at `height`, by default after the head. */
  readNonces(
    addresses: readonly string[],
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<readonly number[]>
  /**
   * Returns the transaction counts of each address as each node reports them, in the order of the nodes. The
   * entry of a node that did not answer is undefined. The answers are not combined, because sending must stop
   * even if only one node reports more transactions than Coffer knows.
   */
  readSentCounts(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly SentCounts[] | undefined)[]>
  /**
   * Returns the transaction with this hash as it was signed. Undefined if no node has the transaction, or if
   * its signed bytes cannot be rebuilt.
   */
  readSent(txHash: string, signal: AbortSignal): Promise<SentTransaction | undefined>
  /**
   * Returns the block at or below `height` in which a nonce of an address was used. Undefined if the nonce is
   * still unused at `height`, or if nodes disagree. The caller may release held money because of this result.
   * Only a block that nodes report therefore proves that the nonce was used. If nodes cannot find one of our
   * transactions, that does not prove it.
   */
  findTaken(
    address: string,
    nonce: number,
    height: number,
    signal: AbortSignal,
  ): Promise<TakenSlot | undefined>
  /** Returns the contract to which each address is delegated; undefined for an address without delegation. */
  readDelegates(addresses: readonly string[], signal: AbortSignal): Promise<readonly (string | undefined)[]>
  hasCode(address: string, signal: AbortSignal): Promise<boolean>
}

/** Signs with the key of `address`. The digest, `r` and `s` are 32 bytes in hex with the prefix 0x. */
export type SignDigest = (
  address: string,
  digest: string,
) => Promise<{ readonly r: string; readonly s: string; readonly yParity: number }>

/** A signed transaction. `raw` is in hex without the prefix 0x. */
export interface SignedTransaction {
  readonly txHash: string
  readonly raw: string
}

/**
 * Serializes, parses and signs the transactions of a family of chains. Bytes are in hex without the prefix
 * 0x.
 */
export interface SpendCodec {
  readonly family: ChainFamily
  serialize(transaction: UnsignedTransaction): string
  /**
   * Parses bytes that `serialize` returned.
   * @throws Error if the bytes are anything else
   */
  parse(bytes: string): UnsignedTransaction
  /**
   * Signs the transaction and its delegations.
   * @throws Error if another address than the required one made a signature
   */
  sign(transaction: UnsignedTransaction, sender: string, signDigest: SignDigest): Promise<SignedTransaction>
  /**
   * Parses signed bytes that the signer returned. The caller compares the result with the transaction that
   * the signer was asked to sign. Only the hash in the result is used, not a hash that the signer reports.
   * @param sender is in canonical form
   * @throws SignedBytesError unless the bytes are a transaction of ours that `sender` signed
   */
  readSigned(raw: string, sender: string): ReadSigned
  /** Returns the maximum size of the transaction in bytes once it and its delegations are signed. */
  signedBytesMax(transaction: UnsignedTransaction): number
  /**
   * Returns the contract to which deposit addresses are delegated so that these hot wallets may sweep them.
   * There may be 1 to 16 hot wallets.
   */
  delegateOf(hotWallets: readonly string[]): string
}

export interface ReadSigned {
  readonly txHash: string
  /** The same transaction without its signatures, as `serialize` returns it. */
  readonly unsigned: string
}

/** The signed bytes are not the requested transaction. The message states the difference. */
export class SignedBytesError extends Error {
  override readonly name = 'SignedBytesError'
}
