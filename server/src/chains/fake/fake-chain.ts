/**
 * A chain in memory for tests and simulation. Callers mine blocks, roll them back, and set faults. The
 * chain's state depends only on its seed and on the calls made, so a run can be repeated exactly.
 */
import { createHash } from 'node:crypto'
import { assert, required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { BlockRef, Transfer, TransferAsset } from '../port.ts'
import { FakeMempool } from './fake-mempool.ts'

/** A transfer that a transaction makes when it is mined. */
export interface FakeMove {
  readonly asset: TransferAsset
  readonly sender: string
  readonly recipient: string
  readonly amountMinor: bigint
  /** True if a contract made the transfer, and not the transaction itself. */
  readonly internal?: boolean
  /** True if the transfer was reverted within a transaction that succeeds. */
  readonly undone?: boolean
}

export interface FakeTransaction {
  readonly hash: string
  readonly failed: boolean
  readonly moves: readonly FakeMove[]
  /**
   * The outpoints that the transaction spends, on a chain with outpoints. Each move of such a transaction
   * creates the outpoint `<hash>:<index>`.
   */
  readonly spends?: readonly string[]
  /** Number of confirmations after which the outputs can be spent. The transaction's own block is the first. */
  readonly maturesAfter?: number
  /** The signer, on chains that report signers. If absent, the sender of the moves is the signer. */
  readonly origin?: string
  /** Present if a key signed the transaction. If absent, the transaction has no effects except its moves. */
  readonly signed?: SignedPart
}

/** The effects that a signed transaction has besides its moves. */
export interface SignedPart {
  readonly sender: string
  /** The fee that the transaction's sender paid, in the coin's smallest unit. */
  readonly feeMinor: bigint
  /** The delegations that the transaction made. They take effect even if the transaction fails. */
  readonly delegated: readonly { readonly address: string; readonly delegate: string }[]
  readonly deployed: { readonly contract: string; readonly hotWallets: readonly string[] } | undefined
}

export interface FakeBlock {
  readonly ref: BlockRef
  readonly transactions: readonly FakeTransaction[]
}

/** The faults that the node has now. Tests may change them at any time. */
export interface FakeFaults {
  /** If true, every call fails. */
  away: boolean
  /** Number of further calls that fail before the node works again. */
  failuresLeft: number
  /** If true, the node omits transfers. */
  hidesTransfers: boolean
  /** Number of blocks that the node is behind the chain. */
  lagBlocks: number
  /** Transactions whose receipts report failure, although the node reported their transfers. */
  readonly failedReceipts: Set<string>
}

/** The behaviour of a recipient of our payments, where it differs from an ordinary account. */
export interface Conduct {
  /** The gas that a payment to the recipient needs. */
  readonly gas?: bigint
  /** True if a token transfer to the recipient succeeds but moves nothing, as with some real tokens. */
  readonly movesNothing?: boolean
}

export interface FakeChainSettings {
  readonly seed?: string
  readonly genesisAt?: Date
  readonly blockTimeMs?: number
  /** The prefix of hashes; empty for UTXO chains. */
  readonly hashPrefix?: string
  /** The initial value of `FakeChain.conducts`. Several fake chains can share one map. */
  readonly conducts?: Map<string, Conduct>
}

export class FakeChain {
  readonly faults: FakeFaults = {
    away: false,
    failuresLeft: 0,
    hidesTransfers: false,
    lagBlocks: 0,
    failedReceipts: new Set(),
  }
  /** The addresses that each sanctions oracle lists, by the oracle's address. */
  readonly listings = new Map<string, ReadonlySet<string>>()
  /** The addresses of contracts. Tests may change them at any time. */
  readonly contracts = new Set<string>()
  /** The recipients that differ from ordinary accounts, by address. Tests may change them at any time. */
  readonly conducts: Map<string, Conduct>
  /** Hashes of transactions that were sent to an account-based chain and are not yet in a block. */
  readonly mempool = new Set<string>()
  /** On a chain with outpoints: transactions that were submitted and are not yet in a block. */
  readonly waiting = new FakeMempool<FakeTransaction>()
  readonly #seed: string
  readonly #blockTimeMs: number
  readonly #hashPrefix: string
  readonly #blocks: FakeBlock[]
  readonly #headListeners = new Set<() => void>()
  #counter = 0

  constructor(settings: FakeChainSettings = {}) {
    const { seed = 'fake', genesisAt = new Date(0), blockTimeMs = 12_000, hashPrefix = '0x' } = settings
    this.#seed = seed
    this.conducts = settings.conducts ?? new Map()
    this.#hashPrefix = hashPrefix
    this.#blockTimeMs = blockTimeMs
    const ref = {
      height: 0,
      hash: this.#newHash(),
      parentHash: `${hashPrefix}${'0'.repeat(64)}`,
      minedAt: genesisAt,
    }
    this.#blocks = [{ ref, transactions: [] }]
  }

  get head(): BlockRef {
    return required(this.#blocks.at(-1), 'the genesis block').ref
  }

  /** Returns the block at `height`; undefined above the head. */
  blockAt(height: number): FakeBlock | undefined {
    return this.#blocks[height]
  }

  /** Returns an unused address. */
  newAddress(): string {
    return `0x${this.#newHash().slice(-40)}`
  }

  /** Returns a transaction that can be mined, dropped and mined again. The transaction keeps its hash. */
  transaction(
    moves: readonly FakeMove[],
    {
      failed = false,
      ...more
    }: Partial<Pick<FakeTransaction, 'failed' | 'spends' | 'maturesAfter' | 'origin'>> = {},
  ): FakeTransaction {
    return { hash: this.#newHash(), failed, moves, ...more }
  }

  /** Returns a new outpoint, as if it had been created before the first block of this chain. */
  newOutpoint(): string {
    return `${this.#newHash()}:0`
  }

  /** Adds a block of exactly these transactions in this order. */
  mine(transactions: readonly FakeTransaction[] = [], minedAt?: Date): BlockRef {
    const parent = this.head
    const ref = {
      height: parent.height + 1,
      hash: this.#newHash(),
      parentHash: parent.hash,
      minedAt: minedAt ?? new Date(parent.minedAt.getTime() + this.#blockTimeMs),
    }
    this.#blocks.push({ ref, transactions })
    this.waiting.confirm(transactions)
    for (const listener of this.#headListeners) listener()
    return ref
  }

  /**
   * Drops the last `depth` blocks and returns their transactions, oldest first. The head's height falls.
   * Transactions that spend outpoints go back to the mempool.
   */
  rollback(depth: number): readonly FakeTransaction[] {
    assert(depth < this.#blocks.length, 'the genesis block stays')
    const blocks = depth === 0 ? [] : this.#blocks.splice(-depth)
    const dropped = blocks.flatMap((block) => block.transactions)
    for (const transaction of dropped) this.waiting.putBack(transaction)
    return dropped
  }

  /**
   * Takes over the blocks of another chain up to `height`, as a node does that receives them. Own blocks that the
   * other chain does not have are dropped.
   */
  follow(other: FakeChain, height: number): void {
    let common = Math.min(height, this.head.height)
    while (common >= 0 && this.#blocks[common]?.ref.hash !== other.blockAt(common)?.ref.hash) common -= 1
    this.#blocks.length = common + 1
    for (let at = common + 1; at <= height; at += 1)
      this.#blocks.push(required(other.blockAt(at), 'a block of the other chain'))
  }

  /** Returns all transactions in blocks up to `height`, inclusive. */
  transactionsUpTo(height: number): readonly FakeTransaction[] {
    return this.#blocks.slice(0, height + 1).flatMap(({ transactions }) => transactions)
  }

  /**
   * Returns the balance of `address` after the block at `height`: the received amounts less the sent amounts
   * and the paid fees.
   */
  balanceOf(asset: TransferAsset, address: string, height: number): bigint {
    return balanceAfter(this.transactionsUpTo(height), asset, address)
  }

  onHead(listener: () => void, signal: AbortSignal): void {
    this.#headListeners.add(listener)
    signal.addEventListener('abort', () => this.#headListeners.delete(listener), { once: true })
  }

  #newHash(): string {
    this.#counter += 1
    return `${this.#hashPrefix}${createHash('sha256').update(`${this.#seed}:${this.#counter}`).digest('hex')}`
  }
}

export function balanceAfter(
  transactions: readonly FakeTransaction[],
  asset: TransferAsset,
  address: string,
): bigint {
  const transfers = transactions.flatMap(transfersIn).filter((transfer) => isSameAsset(transfer.asset, asset))
  const received = transfers.filter(({ recipient }) => recipient === address)
  const sent = transfers.filter(({ sender }) => sender === address)
  const paid = transactions.flatMap(({ signed }) =>
    asset.type === 'coin' && signed?.sender === address ? [signed.feeMinor] : [],
  )
  const amounts = (moved: readonly Transfer[]) => sum(moved.map(({ amountMinor }) => amountMinor))
  return amounts(received) - amounts(sent) - sum(paid)
}

/**
 * Returns the transfers that took effect in a block. The key of a transfer contains its index in its
 * transaction.
 */
export function transfersOf({ transactions }: FakeBlock): Transfer[] {
  return transactions.flatMap(transfersIn)
}

export function transfersIn(transaction: FakeTransaction): Transfer[] {
  const { hash, failed, moves, spends, maturesAfter, origin } = transaction
  if (failed) return []
  return moves.flatMap((move, index) => {
    const { asset, recipient, amountMinor } = move
    if (move.undone === true || amountMinor === 0n) return []
    // A transaction that spends outpoints has no single sender.
    const sender = spends === undefined ? move.sender : undefined
    const key = `${hash}:${spends === undefined ? transferKeyOf(move, index) : index}`
    const matures = maturesAfter === undefined ? {} : { maturesAfter }
    const signed = origin === undefined || origin === sender ? {} : { origin }
    return [{ key, txHash: hash, asset, sender, recipient, amountMinor, ...matures, ...signed }]
  })
}

function transferKeyOf({ asset, internal }: FakeMove, index: number): string {
  if (asset.type === 'token') return `log:${index}`
  return internal === true ? `call:${index}` : 'call:'
}

export function isSameAsset(a: TransferAsset, b: TransferAsset): boolean {
  if (a.type === 'coin' || b.type === 'coin') return a.type === b.type
  return a.contract === b.contract
}
