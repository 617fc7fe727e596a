/**
 * A chain in memory, for tests and simulation: it mines what it is told, rolls back, and fails on demand. Everything
 * in it follows from its seed and the calls made, so that a run can be repeated.
 */
import { createHash } from 'node:crypto'
import { assert, required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { BlockRef, Transfer, TransferAsset } from '../port.ts'
import { FakeMempool } from './fake-mempool.ts'

/** What a transaction moves when it is mined. */
export interface FakeMove {
  readonly asset: TransferAsset
  readonly sender: string
  readonly recipient: string
  readonly amountMinor: bigint
  /** Made by a contract, not by the transaction itself. */
  readonly internal?: boolean
  /** Undone inside a transaction that succeeds. */
  readonly undone?: boolean
}

export interface FakeTransaction {
  readonly hash: string
  readonly failed: boolean
  readonly moves: readonly FakeMove[]
  /** The outpoints it spends, on a chain that has them. Its moves make the outpoints `<hash>:<place>`. */
  readonly spends?: readonly string[]
  /** Blocks, its own counted, before which what it moves cannot be spent. */
  readonly maturesAfter?: number
  /** Whoever signed it, where that is told: the sender of what it moves where absent. */
  readonly origin?: string
  /** Where somebody's key signed it; it changed no more than it moved where absent. */
  readonly signed?: SignedPart
}

/** What a signed transaction changed beside what it moved. */
export interface SignedPart {
  readonly sender: string
  /** The coin that its sender paid for it. */
  readonly feeMinor: bigint
  /** What it delegated, which holds though the rest failed. */
  readonly delegated: readonly { readonly address: string; readonly delegate: string }[]
  readonly deployed: { readonly contract: string; readonly lanes: readonly string[] } | undefined
}

export interface FakeBlock {
  readonly ref: BlockRef
  readonly transactions: readonly FakeTransaction[]
}

/** What is wrong with the node at the moment; change it at will. */
export interface FakeFaults {
  /** Every call fails. */
  away: boolean
  /** So many calls fail, then the node is back. */
  failuresLeft: number
  /** The node leaves out what moved. */
  hidesTransfers: boolean
  /** The node is that many blocks behind the chain. */
  lagBlocks: number
  /** Transactions whose receipts say failure though their transfers were told. */
  readonly failedReceipts: Set<string>
}

export interface FakeChainSettings {
  readonly seed?: string
  readonly genesisAt?: Date
  readonly blockTimeMs?: number
  /** What hashes begin with; those of chains of coins begin with nothing. */
  readonly hashPrefix?: string
}

export class FakeChain {
  readonly faults: FakeFaults = {
    away: false,
    failuresLeft: 0,
    hidesTransfers: false,
    lagBlocks: 0,
    failedReceipts: new Set(),
  }
  /** Whom each sanctions oracle lists. */
  readonly listings = new Map<string, ReadonlySet<string>>()
  /** Hashes of transactions that were sent and wait for a block. */
  readonly mempool = new Set<string>()
  /** On a chain with outpoints: what was submitted and waits for a block. */
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

  /** The block at `height`; undefined above the head. */
  blockAt(height: number): FakeBlock | undefined {
    return this.#blocks[height]
  }

  /** An address nobody has used. */
  newAddress(): string {
    return `0x${this.#newHash().slice(-40)}`
  }

  /** A transaction that can be mined, dropped and mined again; it keeps its hash. */
  transaction(
    moves: readonly FakeMove[],
    {
      failed = false,
      ...more
    }: Partial<Pick<FakeTransaction, 'failed' | 'spends' | 'maturesAfter' | 'origin'>> = {},
  ): FakeTransaction {
    return { hash: this.#newHash(), failed, moves, ...more }
  }

  /** An outpoint that somebody was given before this chain begins. */
  newOutpoint(): string {
    return `${this.#newHash()}:0`
  }

  /** Adds a block of exactly these transactions, in this order. */
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
   * Drops the last `depth` blocks and returns their transactions, oldest first. The height falls, and what spends outpoints
   * waits again.
   */
  rollback(depth: number): readonly FakeTransaction[] {
    assert(depth < this.#blocks.length, 'the genesis block stays')
    const blocks = depth === 0 ? [] : this.#blocks.splice(-depth)
    const dropped = blocks.flatMap((block) => block.transactions)
    for (const transaction of dropped) this.waiting.putBack(transaction)
    return dropped
  }

  /** All that is mined, up to and with the block at `height`. */
  transactionsUpTo(height: number): readonly FakeTransaction[] {
    return this.#blocks.slice(0, height + 1).flatMap(({ transactions }) => transactions)
  }

  /** What `address` has received less what it has sent and paid, up to and with the block at `height`. */
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

/** What really moved in a block; each transfer is keyed by its place in its own transaction. */
export function transfersOf({ transactions }: FakeBlock): Transfer[] {
  return transactions.flatMap(transfersIn)
}

export function transfersIn(transaction: FakeTransaction): Transfer[] {
  const { hash, failed, moves, spends, maturesAfter, origin } = transaction
  if (failed) return []
  return moves.flatMap((move, place) => {
    const { asset, recipient, amountMinor } = move
    if (move.undone === true || amountMinor === 0n) return []
    // What spends outpoints has no single sender.
    const sender = spends === undefined ? move.sender : undefined
    const key = `${hash}:${spends === undefined ? placeName(move, place) : place}`
    const matures = maturesAfter === undefined ? {} : { maturesAfter }
    const signed = origin === undefined || origin === sender ? {} : { origin }
    return [{ key, txHash: hash, asset, sender, recipient, amountMinor, ...matures, ...signed }]
  })
}

function placeName({ asset, internal }: FakeMove, place: number): string {
  if (asset.type === 'token') return `log:${place}`
  return internal === true ? `call:${place}` : 'call:'
}

function isSameAsset(a: TransferAsset, b: TransferAsset): boolean {
  if (a.type === 'coin' || b.type === 'coin') return a.type === b.type
  return a.contract === b.contract
}
