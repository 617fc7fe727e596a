/** Sends to a fake chain: what it takes waits in a pool of its own and is mined when told. */
import { required } from '../../core/assert.ts'
import type {
  AccountSender,
  BroadcastAnswer,
  FeeLevel,
  SentTransaction,
  Spend,
  TakenPlace,
  TransactionReceipt,
} from '../port.ts'
import { balanceAfter, type FakeChain, type FakeTransaction } from './fake-chain.ts'
import { fakeTurn } from './fake-reader.ts'
import {
  delegateAfter,
  gasOf,
  lanesAfter,
  nonceAfter,
  type ReadTransaction,
  readSigned,
  run,
} from './run-spend.ts'

export interface FakePool extends AccountSender {
  /** What the chain asks for; change it at will. What offers less waits. */
  fees: FeeLevel
  /** Forgets what waits. */
  drop(txHash: string): void
  /** Adds a block of all that waits and can be mined. */
  mine(): number
}

export function openFakeSender(chain: FakeChain, { chainId = 31337, canDelegate = true } = {}): FakePool {
  return new FakeSender(chain, chainId, canDelegate)
}

const gwei = 10n ** 9n

class FakeSender implements FakePool {
  readonly network = 'ethereum'
  readonly canDelegate: boolean
  fees: FeeLevel = { baseFeeMinor: 10n * gwei, tipMinor: gwei }
  readonly #chain: FakeChain
  readonly #chainId: number
  /** By sender and nonce: two of the same place never wait together. */
  readonly #waiting = new Map<string, ReadTransaction>()
  /** The bytes of all that was ever taken, by hash. */
  readonly #taken = new Map<string, string>()

  constructor(chain: FakeChain, chainId: number, canDelegate: boolean) {
    this.#chain = chain
    this.#chainId = chainId
    this.canDelegate = canDelegate
  }

  drop(txHash: string): void {
    for (const [place, waiting] of this.#waiting) if (waiting.txHash === txHash) this.#remove(place)
  }

  mine(): number {
    const before = [...this.#mined()]
    const block: FakeTransaction[] = []
    for (let next = this.#nextIn(before); next !== undefined; next = this.#nextIn(before)) {
      const [place, transaction] = next
      this.#remove(place)
      const done = run(transaction, before, priceOf(transaction, this.fees))
      before.push(done)
      block.push(done)
    }
    return this.#chain.mine(block).height
  }

  async readFees(signal: AbortSignal): Promise<FeeLevel> {
    await fakeTurn(this.#chain, signal)
    return this.fees
  }

  async estimateGas(sender: string, spend: Spend, signal: AbortSignal) {
    await fakeTurn(this.#chain, signal)
    const { chain, rich } = { chain: this.#mined(), rich: richBefore(sender) }
    const transaction = {
      txHash: '',
      sender,
      chainId: this.#chainId,
      gas: gasOf(spend),
      maxFeeMinor: 0n,
      tipMinor: 0n,
      spend,
    }
    return run(transaction, [...chain, rich], 0n).failed ? { fault: 'it would fail' } : { gas: gasOf(spend) }
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    await fakeTurn(this.#chain, signal)
    const transaction = await readSigned(raw).catch(() => undefined)
    if (transaction === undefined || transaction.chainId !== this.#chainId) return refused('other')
    const { sender, nonce, txHash } = transaction
    const mined = this.#mined()
    const place = `${sender}:${nonce}`
    const rival = this.#waiting.get(place)
    if (rival?.txHash === txHash || mined.some(({ hash }) => hash === txHash)) return { type: 'taken' }
    if (nonce < nonceAfter(mined, sender)) return refused('nonce-used')
    if (rival !== undefined && !isDearer(transaction, rival)) return refused('underpriced')
    if (balanceAfter(mined, { type: 'coin' }, sender) < mostOf(transaction)) return refused('no-funds')
    if (rival !== undefined) this.#remove(place)
    this.#waiting.set(place, transaction)
    this.#taken.set(txHash, raw)
    this.#chain.mempool.add(txHash)
    return { type: 'taken' }
  }

  async readReceipts(txHashes: readonly string[], signal: AbortSignal) {
    await fakeTurn(this.#chain, signal)
    return txHashes.map((txHash) => this.#receiptOf(txHash))
  }

  async readNonces(addresses: readonly string[], height: number | undefined, signal: AbortSignal) {
    await fakeTurn(this.#chain, signal)
    const mined = this.#mined(height)
    return addresses.map((address) => nonceAfter(mined, address))
  }

  async readSentCounts(addresses: readonly string[], signal: AbortSignal) {
    await fakeTurn(this.#chain, signal)
    const mined = this.#mined()
    const counts = addresses.map((address) => {
      const latest = nonceAfter(mined, address)
      let pending = latest
      while (this.#waiting.has(`${address}:${pending}`)) pending += 1
      return { final: undefined, latest, pending }
    })
    return [counts]
  }

  async readSent(txHash: string, signal: AbortSignal): Promise<SentTransaction | undefined> {
    await fakeTurn(this.#chain, signal)
    const raw = this.#taken.get(txHash)
    return raw === undefined ? undefined : { ...(await readSigned(raw)), raw }
  }

  async findTaken(
    address: string,
    nonce: number,
    height: number,
    signal: AbortSignal,
  ): Promise<TakenPlace | undefined> {
    await fakeTurn(this.#chain, signal)
    for (let at = 0; at <= Math.min(height, this.#chain.head.height); at += 1) {
      if (nonceAfter(this.#mined(at), address) <= nonce) continue
      const { ref, transactions } = required(this.#chain.blockAt(at), 'block')
      const own = transactions.filter(({ signed }) => signed?.sender === address)
      const before = at === 0 ? 0 : nonceAfter(this.#mined(at - 1), address)
      return { height: at, blockHash: ref.hash, txHash: own[nonce - before]?.hash }
    }
    return undefined
  }

  async readDelegates(addresses: readonly string[], signal: AbortSignal) {
    await fakeTurn(this.#chain, signal)
    const mined = this.#mined()
    return addresses.map((address) => delegateAfter(mined, address))
  }

  async hasCode(address: string, signal: AbortSignal): Promise<boolean> {
    await fakeTurn(this.#chain, signal)
    const mined = this.#mined()
    return lanesAfter(mined, address) !== undefined || delegateAfter(mined, address) !== undefined
  }

  async close(): Promise<void> {}

  #mined(height = this.#chain.head.height): readonly FakeTransaction[] {
    return this.#chain.transactionsUpTo(height)
  }

  #remove(place: string): void {
    this.#chain.mempool.delete(this.#waiting.get(place)?.txHash ?? '')
    this.#waiting.delete(place)
  }

  /** The first whose turn it is and that offers enough. */
  #nextIn(before: readonly FakeTransaction[]) {
    return [...this.#waiting].find(
      ([, { sender, nonce, maxFeeMinor }]) =>
        nonce === nonceAfter(before, sender) && maxFeeMinor >= this.fees.baseFeeMinor,
    )
  }

  #receiptOf(txHash: string): TransactionReceipt | undefined {
    for (let height = this.#chain.head.height; height > 0; height -= 1) {
      const { ref, transactions } = required(this.#chain.blockAt(height), 'block')
      const mined = transactions.find(({ hash }) => hash === txHash)
      if (mined === undefined) continue
      const feeMinor = mined.signed?.feeMinor ?? 0n
      return { txHash, height, blockHash: ref.hash, isSuccess: !mined.failed, feeMinor }
    }
    return undefined
  }
}

function refused(why: 'nonce-used' | 'underpriced' | 'no-funds' | 'other'): BroadcastAnswer {
  return { type: 'refused', why, detail: `the fake node says ${why}` }
}

function priceOf({ maxFeeMinor, tipMinor }: ReadTransaction, { baseFeeMinor }: FeeLevel): bigint {
  const wanted = baseFeeMinor + tipMinor
  return wanted < maxFeeMinor ? wanted : maxFeeMinor
}

/** A tenth more of both, as most nodes ask. */
function isDearer(one: ReadTransaction, other: ReadTransaction): boolean {
  return one.maxFeeMinor * 10n >= other.maxFeeMinor * 11n && one.tipMinor * 10n >= other.tipMinor * 11n
}

function mostOf({ spend, gas, maxFeeMinor }: ReadTransaction): bigint {
  const paid = spend.type === 'pay' && spend.asset.type === 'coin' ? spend.amountMinor : 0n
  return gas * maxFeeMinor + paid
}

/** As real nodes are shown a sender when they estimate: rich. */
function richBefore(recipient: string): FakeTransaction {
  const gift = { asset: { type: 'coin' }, sender: '', recipient, amountMinor: 2n ** 100n } as const
  return { hash: '', failed: false, moves: [gift] }
}
