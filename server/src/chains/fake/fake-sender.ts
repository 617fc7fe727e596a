/** Sends transactions to a fake account-based chain. They stay in a mempool until a test mines them. */
import { required } from '../../core/assert.ts'
import type { NetworkName } from '../networks.ts'
import type {
  AccountSender,
  BroadcastAnswer,
  FeeLevel,
  SentTransaction,
  Spend,
  TakenSlot,
  TransactionReceipt,
  UnsignedTransaction,
} from '../port.ts'
import { balanceAfter, type FakeChain, type FakeTransaction } from './fake-chain.ts'
import { fakeAnswer } from './fake-reader.ts'
import {
  delegateAfter,
  hotWalletsAfter,
  neededGas,
  nonceAfter,
  type ReadTransaction,
  readSigned,
  run,
} from './run-spend.ts'

export interface FakePool extends AccountSender {
  /** The current fees of the chain; tests may change them. A transaction below the base fee is not mined. */
  fees: FeeLevel
  /**
   * The data fee of each transaction, which the chain charges in addition to its gas. Tests may change it.
   */
  dataFeeMinor: bigint
  /** Removes a transaction from the mempool. */
  drop(txHash: string): void
  /** Drops each transaction whose nonce was used in a block, as a node does after each block. */
  prune(): void
  /** Returns the bytes of a transaction that the node accepted, in hex; undefined if it never did. */
  rawOf(txHash: string): string | undefined
  /**
   * Adds a block of `others` and of all transactions in the mempool that can be mined. Returns the block's
   * height.
   */
  mine(others?: readonly FakeTransaction[], minedAt?: Date): number
}

export interface FakeSenderSettings {
  readonly network?: NetworkName
  readonly chainId?: number
  readonly canDelegate?: boolean
}

export function openFakeSender(chain: FakeChain, settings: FakeSenderSettings = {}): FakePool {
  const { network = 'ethereum', chainId = 31337, canDelegate = true } = settings
  return new FakeSender(chain, network, chainId, canDelegate)
}

const gwei = 10n ** 9n

class FakeSender implements FakePool {
  readonly network: NetworkName
  readonly canDelegate: boolean
  fees: FeeLevel = { baseFeePerGas: 10n * gwei, maxPriorityFeePerGas: gwei }
  dataFeeMinor = 0n
  readonly #chain: FakeChain
  readonly #chainId: number
  /** The mempool, by sender and nonce: it never holds two transactions with the same sender and nonce. */
  readonly #waiting = new Map<string, ReadTransaction>()
  /** The bytes of every transaction that was ever accepted, by hash. */
  readonly #taken = new Map<string, string>()

  constructor(chain: FakeChain, network: NetworkName, chainId: number, canDelegate: boolean) {
    this.#chain = chain
    this.network = network
    this.#chainId = chainId
    this.canDelegate = canDelegate
  }

  drop(txHash: string): void {
    for (const [slot, waiting] of this.#waiting) if (waiting.txHash === txHash) this.#remove(slot)
  }

  prune(): void {
    const mined = this.#mined()
    for (const [slot, { sender, nonce }] of this.#waiting)
      if (nonce < nonceAfter(mined, sender)) this.#remove(slot)
  }

  rawOf(txHash: string): string | undefined {
    return this.#taken.get(txHash)
  }

  mine(others: readonly FakeTransaction[] = [], minedAt?: Date): number {
    const before = [...this.#mined(), ...others]
    const block = [...others]
    for (let next = this.#nextIn(before); next !== undefined; next = this.#nextIn(before)) {
      const [slot, transaction] = next
      this.#remove(slot)
      const ran = run(transaction, before, priceOf(transaction, this.fees), this.#chain.conducts)
      const done = withDataFee(ran, this.dataFeeMinor)
      before.push(done)
      block.push(done)
    }
    return this.#chain.mine(block, minedAt).height
  }

  async readFees(signal: AbortSignal): Promise<FeeLevel> {
    await fakeAnswer(this.#chain, signal)
    return this.fees
  }

  async readDataFees(transactions: readonly UnsignedTransaction[], signal: AbortSignal) {
    await fakeAnswer(this.#chain, signal)
    return transactions.map(() => this.dataFeeMinor)
  }

  async estimateGas(sender: string, spend: Spend, signal: AbortSignal) {
    await fakeAnswer(this.#chain, signal)
    const { chain, rich } = { chain: this.#mined(), rich: richBefore(sender) }
    const gas = neededGas(spend, this.#chain.conducts)
    const transaction = {
      txHash: '',
      sender,
      chainId: this.#chainId,
      gasLimit: gas,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      spend,
    }
    const done = run(transaction, [...chain, rich], 0n, this.#chain.conducts)
    return done.failed ? { error: 'it would fail' } : { gas }
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    await fakeAnswer(this.#chain, signal)
    const transaction = await readSigned(raw).catch(() => undefined)
    if (transaction === undefined || transaction.chainId !== this.#chainId) return refused('other')
    const { sender, nonce, txHash } = transaction
    const mined = this.#mined()
    const slot = `${sender}:${nonce}`
    const rival = this.#waiting.get(slot)
    if (rival?.txHash === txHash || mined.some(({ hash }) => hash === txHash)) return { type: 'taken' }
    if (nonce < nonceAfter(mined, sender)) return refused('nonce-used')
    if (rival !== undefined && !isDearer(transaction, rival)) return refused('underpriced')
    if (balanceAfter(mined, { type: 'coin' }, sender) < mostOf(transaction) + this.dataFeeMinor)
      return refused('no-funds')
    if (rival !== undefined) this.#remove(slot)
    this.#waiting.set(slot, transaction)
    this.#taken.set(txHash, raw)
    this.#chain.mempool.add(txHash)
    return { type: 'taken' }
  }

  async readReceipts(txHashes: readonly string[], signal: AbortSignal) {
    await fakeAnswer(this.#chain, signal)
    return txHashes.map((txHash) => this.#receiptOf(txHash))
  }

  async readNonces(addresses: readonly string[], height: number | undefined, signal: AbortSignal) {
    await fakeAnswer(this.#chain, signal)
    const mined = this.#mined(height)
    return addresses.map((address) => nonceAfter(mined, address))
  }

  async readSentCounts(addresses: readonly string[], signal: AbortSignal) {
    await fakeAnswer(this.#chain, signal)
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
    await fakeAnswer(this.#chain, signal)
    const raw = this.#taken.get(txHash)
    return raw === undefined ? undefined : { ...(await readSigned(raw)), raw }
  }

  async findTaken(
    address: string,
    nonce: number,
    height: number,
    signal: AbortSignal,
  ): Promise<TakenSlot | undefined> {
    await fakeAnswer(this.#chain, signal)
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
    await fakeAnswer(this.#chain, signal)
    const mined = this.#mined()
    return addresses.map((address) => delegateAfter(mined, address))
  }

  async hasCode(address: string, signal: AbortSignal): Promise<boolean> {
    await fakeAnswer(this.#chain, signal)
    const mined = this.#mined()
    return hotWalletsAfter(mined, address) !== undefined || delegateAfter(mined, address) !== undefined
  }

  async close(): Promise<void> {}

  #mined(height = this.#chain.head.height): readonly FakeTransaction[] {
    return this.#chain.transactionsUpTo(height)
  }

  #remove(slot: string): void {
    this.#chain.mempool.delete(this.#waiting.get(slot)?.txHash ?? '')
    this.#waiting.delete(slot)
  }

  /**
   * Returns the first transaction in the mempool that has the next nonce of its sender and a sufficient fee.
   */
  #nextIn(before: readonly FakeTransaction[]) {
    return [...this.#waiting].find(
      ([, { sender, nonce, maxFeePerGas }]) =>
        nonce === nonceAfter(before, sender) && maxFeePerGas >= this.fees.baseFeePerGas,
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

function withDataFee(transaction: FakeTransaction, dataFeeMinor: bigint): FakeTransaction {
  const { signed } = transaction
  if (signed === undefined) return transaction
  return { ...transaction, signed: { ...signed, feeMinor: signed.feeMinor + dataFeeMinor } }
}

function priceOf(
  { maxFeePerGas, maxPriorityFeePerGas }: ReadTransaction,
  { baseFeePerGas }: FeeLevel,
): bigint {
  const wanted = baseFeePerGas + maxPriorityFeePerGas
  return wanted < maxFeePerGas ? wanted : maxFeePerGas
}

/**
 * Decides whether both fees of `one` are at least 10 % above those of `other`. Most nodes require this of a
 * replacement.
 */
function isDearer(one: ReadTransaction, other: ReadTransaction): boolean {
  return (
    one.maxFeePerGas * 10n >= other.maxFeePerGas * 11n &&
    one.maxPriorityFeePerGas * 10n >= other.maxPriorityFeePerGas * 11n
  )
}

function mostOf({ spend, gasLimit: gas, maxFeePerGas }: ReadTransaction): bigint {
  const paid = spend.type === 'pay' && spend.asset.type === 'coin' ? spend.amountMinor : 0n
  return gas * maxFeePerGas + paid
}

/**
 * Returns a transaction that gives `recipient` so much of the coin that an estimate cannot fail for lack of
 * balance. On real nodes, an override of the sender's balance has the same effect.
 */
function richBefore(recipient: string): FakeTransaction {
  const gift = { asset: { type: 'coin' }, sender: '', recipient, amountMinor: 2n ** 100n } as const
  return { hash: '', failed: false, moves: [gift] }
}
