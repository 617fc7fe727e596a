/** Sends transactions to a fake UTXO chain. Their format is real, but their signatures are not checked. */
import { required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { UtxoNetwork } from '../networks.ts'
import { type BroadcastAnswer, NodeError } from '../port.ts'
import { scriptReader } from '../utxo/address-encoding.ts'
import { readRawTransaction } from '../utxo/encoding/raw-block.ts'
import type { BlockSpan, FeeRate, SpentOutput, UtxoSender } from '../utxo/utxo-port.ts'
import type { FakeChain, FakeTransaction } from './fake-chain.ts'
import { fakeAnswer } from './fake-reader.ts'

export interface FakeUtxoPool extends UtxoSender {
  /** The current fee rate of the chain; tests may change it. */
  feeRate: FeeRate
  /**
   * Whether a conflicting transaction with a higher fee replaces the one in the mempool. Tests may change
   * this value.
   */
  canReplace: boolean
  /** Removes a transaction and its descendants from the mempool. */
  drop(txHash: string): void
  /** Returns the fee and size of a transaction that the node accepted; undefined for any other transaction. */
  offerOf(txHash: string): FakeOffer | undefined
  /** Adds a block of all transactions in the mempool. Returns the block's height. */
  mine(): number
}

/** The fee and the size of a transaction. */
export interface FakeOffer {
  readonly feeMinor: bigint
  /** The size in virtual bytes (BIP 141). */
  readonly vbytes: number
  /** The size in bytes without witnesses. */
  readonly bareBytes: number
}

/**
 * Opens a sender to a fake UTXO chain.
 * @param chain has hashes without a prefix
 * @param onTaken is called with each transaction that the node takes into its mempool
 */
export function openFakeUtxoSender(
  chain: FakeChain,
  network: UtxoNetwork,
  onTaken?: (transaction: FakeTransaction) => void,
): FakeUtxoPool {
  return new FakeUtxoSender(chain, network, onTaken)
}

/** A transaction that was sent to the node, with the values by which the node accepts or rejects it. */
interface Offer extends FakeOffer {
  readonly transaction: FakeTransaction & { readonly spends: readonly string[] }
  readonly bytes: number
}

class FakeUtxoSender implements FakeUtxoPool {
  readonly network
  canReplace: boolean
  feeRate: FeeRate
  readonly #chain: FakeChain
  readonly #onTaken: ((transaction: FakeTransaction) => void) | undefined
  readonly #dustMinor: bigint
  readonly #addressOf: (script: Uint8Array) => string | undefined
  readonly #offers = new Map<string, FakeOffer>()
  /**
   * The bytes of sent transactions, in hex, by hash. Transactions that a test mined directly have no bytes.
   */
  readonly #sent = new Map<string, string>()

  constructor(
    chain: FakeChain,
    { name, chain: row }: UtxoNetwork,
    onTaken?: (transaction: FakeTransaction) => void,
  ) {
    this.#onTaken = onTaken
    this.network = name
    this.canReplace = row.canReplace
    this.#dustMinor = row.dustMinor
    this.feeRate = { rateMinor: row.usualFeeRate, leastMinor: 1_000n, source: 'usual' }
    this.#chain = chain
    this.#addressOf = scriptReader(row)
  }

  drop(txHash: string): void {
    this.#chain.waiting.evict(txHash)
  }

  offerOf(txHash: string): FakeOffer | undefined {
    return this.#offers.get(txHash)
  }

  mine(): number {
    const { waiting } = this.#chain
    const all = waiting.hashes.map((hash) => required(waiting.find(hash), 'waiting transaction'))
    return this.#chain.mine(all).height
  }

  async readFeeRate(_: number, signal: AbortSignal): Promise<FeeRate> {
    await fakeAnswer(this.#chain, signal)
    return this.feeRate
  }

  async testAccept(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    await fakeAnswer(this.#chain, signal)
    return this.#evaluate(this.#read(raw))
  }

  async broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    await fakeAnswer(this.#chain, signal)
    const offer = this.#read(raw)
    const answer = this.#evaluate(offer)
    if (answer.type === 'refused' || offer === undefined || this.#isKnown(offer.transaction.hash))
      return answer
    this.#onTaken?.(offer.transaction)
    this.#chain.waiting.submit(offer.transaction)
    this.#offers.set(offer.transaction.hash, offer)
    this.#sent.set(offer.transaction.hash, raw)
    return answer
  }

  async findSpent(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentOutput | undefined> {
    await fakeAnswer(this.#chain, signal)
    for (let height = Math.min(span.to, this.#chain.head.height); height >= span.from; height -= 1) {
      const { ref, transactions } = required(this.#chain.blockAt(height), 'block')
      const spender = transactions.find(({ spends = [] }) => spends.includes(outpoint))
      if (spender !== undefined) return { height, blockHash: ref.hash, txHash: spender.hash }
    }
    return undefined
  }

  async findWaitingSpender(outpoint: string, signal: AbortSignal): Promise<string | undefined> {
    await fakeAnswer(this.#chain, signal)
    return this.#rivalsOf([outpoint])[0]
  }

  async readPreviousTransactions(
    blockHash: string,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    await fakeAnswer(this.#chain, signal)
    for (let { height } = this.#chain.head; height >= 0; height -= 1) {
      const { ref, transactions } = required(this.#chain.blockAt(height), 'block')
      if (ref.hash !== blockHash) continue
      const mined = new Set(transactions.map(({ hash }) => hash))
      return new Map([...this.#sent].filter(([hash]) => mined.has(hash) && txHashes.includes(hash)))
    }
    throw new NodeError(`there is no block ${blockHash}`)
  }

  async close(): Promise<void> {}

  #read(raw: string): Offer | undefined {
    try {
      const { txid, chunks, inputs, outputs } = readRawTransaction(raw)
      const moves = outputs.map(({ script, amountMinor }) => {
        const recipient = this.#addressOf(script) ?? `script ${Buffer.from(script).toString('hex')}`
        return { asset: { type: 'coin' }, sender: '', recipient, amountMinor } as const
      })
      const spends = inputs.map(({ outpoint }) => outpoint)
      const spentMinor = sum(spends.map((outpoint) => this.#amountOf(outpoint) ?? 0n))
      const feeMinor = spentMinor - sum(outputs.map(({ amountMinor }) => amountMinor))
      const transaction = { hash: txid, failed: false, moves, spends }
      const bytes = raw.length / 2
      const bareBytes = chunks.reduce((total, chunk) => total + chunk.length, 0)
      const vbytes = Math.ceil((3 * bareBytes + bytes) / 4)
      return { transaction, feeMinor, bytes, bareBytes, vbytes }
    } catch (error) {
      if (error instanceof NodeError) return undefined
      throw error
    }
  }

  #evaluate(offer: Offer | undefined): BroadcastAnswer {
    if (offer === undefined) return refused('other')
    const { hash, spends, moves } = offer.transaction
    if (this.#isKnown(hash)) return { type: 'taken' }
    if (moves.some(({ amountMinor }) => amountMinor < this.#dustMinor)) return refused('other')
    if (spends.some((outpoint) => this.#amountOf(outpoint) === undefined)) return refused('missing-inputs')
    if (offer.feeMinor * 1_000n < this.feeRate.leastMinor * BigInt(offer.bytes)) return refused('underpriced')
    const rivals = this.#rivalsOf(spends)
    if (rivals.length > 0 && !this.canReplace) return refused('conflict')
    const rivalsMinor = sum(rivals.map((rival) => this.#offers.get(rival)?.feeMinor ?? 0n))
    return rivals.length > 0 && offer.feeMinor <= rivalsMinor ? refused('underpriced') : { type: 'taken' }
  }

  #isKnown(txHash: string): boolean {
    return this.#chain.waiting.find(txHash) !== undefined || this.#mined.some(({ hash }) => hash === txHash)
  }

  /**
   * Returns the amount of an output that no block spends. The output's transaction is in a block or in the
   * mempool. Undefined if there is no such output.
   */
  #amountOf(outpoint: string): bigint | undefined {
    if (this.#mined.some(({ spends = [] }) => spends.includes(outpoint))) return undefined
    const [hash = '', index = ''] = outpoint.split(':')
    const creator = this.#mined.find((one) => one.hash === hash) ?? this.#chain.waiting.find(hash)
    return creator?.moves[Number(index)]?.amountMinor
  }

  #rivalsOf(outpoints: readonly string[]): readonly string[] {
    const { waiting } = this.#chain
    return waiting.hashes.filter((hash) =>
      waiting.find(hash)?.spends?.some((outpoint) => outpoints.includes(outpoint)),
    )
  }

  get #mined(): readonly FakeTransaction[] {
    return this.#chain.transactionsUpTo(this.#chain.head.height)
  }
}

type Why = Extract<BroadcastAnswer, { readonly type: 'refused' }>['why']

function refused(why: Why): BroadcastAnswer {
  return { type: 'refused', why, detail: `the fake node says ${why}` }
}
