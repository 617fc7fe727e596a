/**
 * Several nodes of one chain as one reader. What is booked is what two of them tell alike, so that one that lies, errs
 * or lags changes nothing while two others agree. Of two nodes, one goes on alone while the other is away, and its head
 * says so; nothing is final then, so that what needs the word of two waits.
 */
import { required } from '../../core/assert.ts'
import { linkSignal } from '../../core/concurrency/linked-signal.ts'
import type { Log } from '../../core/log.ts'
import {
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  type ChainTraits,
  type Head,
  type ListedCoin,
  type MempoolReader,
  NodeError,
  type SanctionsReader,
  type SpentOutpoint,
  type TransactionSight,
  type TransferAsset,
  type WaitingTransaction,
  WrongChainError,
} from '../port.ts'
import {
  agreedFinalHeight,
  claimedHeight,
  coinsKey,
  factsKey,
  findAgreed,
  headerKey,
  holds,
  type Told,
  voicesMin,
} from './agreement.ts'

/** All nodes are asked for their heads: one that hangs must not hold up the others. */
const headPatienceMs = 3_000
/** How long a node that is away is left alone while others answer. */
const restMs = 30_000

type Question<T> = (reader: ChainReader, signal: AbortSignal) => Promise<T>

/** `readers` are of one network, best first, and are closed with the result. */
export function overSeveral(readers: readonly ChainReader[], log: Log): ChainReader {
  return readers.length === 1 ? required(readers[0], 'the node') : new SeveralNodes(readers, log)
}

class SeveralNodes implements ChainReader {
  readonly network
  readonly #readers: readonly ChainReader[]
  readonly #log: Log
  /** Places in `#readers`; whoever told otherwise than two others is asked last from then on. */
  #order: readonly number[]
  /** Until when each is left alone, in milliseconds of this process. */
  readonly #restsUntil = new Map<number, number>()

  constructor(readers: readonly ChainReader[], log: Log) {
    this.network = required(readers[0], 'the first node').network
    this.#readers = readers
    this.#log = log
    this.#order = readers.map((_, node) => node)
  }

  /** What the weakest can do: which nodes will answer the next question is not known. */
  get traits(): ChainTraits {
    const all = this.#readers.map(({ traits }) => traits)
    const { family, hasContracts, hasOutpoints } = required(all[0], 'the first node')
    return {
      family,
      hasContracts,
      hasOutpoints,
      seesInternalTransfers: all.every((traits) => traits.seesInternalTransfers),
    }
  }

  /** One node of another chain is refused outright; of the rest at least one must answer. */
  async checkIdentity(signal: AbortSignal): Promise<void> {
    const checks = await Promise.allSettled(this.#readers.map((reader) => reader.checkIdentity(signal)))
    const failures = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []))
    const wrong = failures.find((failure) => failure instanceof WrongChainError)
    if (wrong !== undefined) throw wrong
    if (failures.length === this.#readers.length) throw failures[0]
  }

  /** The highest block that two nodes hold. */
  async readHead(signal: AbortSignal): Promise<Head> {
    const heads = await this.#hearAll((reader, either) => reader.readHead(either), signal)
    const [only] = heads
    if (heads.length === 1 && only !== undefined && this.#mayBelieveOne)
      return { ...only.value, isOneWord: true }
    for (const { value: block } of heads.toSorted((a, b) => b.value.height - a.value.height)) {
      if ((await this.#countHolders(block, heads, signal)) < voicesMin) continue
      return { ...block, claimedHeight: claimedHeight(heads, this.#readers.length) }
    }
    throw new NodeError(
      `${this.network}: no two of ${this.#readers.length} nodes agree on a block (${heads.length} answer)`,
    )
  }

  async readFinalHeight(signal: AbortSignal): Promise<number | undefined> {
    return agreedFinalHeight(await this.#hearAll((reader, either) => reader.readFinalHeight(either), signal))
  }

  readBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined> {
    const what = `block ${height}`
    return this.#agree((reader, either) => reader.readBlock(height, either), factsKey, what, signal)
  }

  readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined> {
    const what = `the header of block ${height}`
    return this.#agree((reader, either) => reader.readHeader(height, either), headerKey, what, signal)
  }

  /** What two have told of the block needs one to confirm it. */
  async requireSuccess(block: BlockRef, txHashes: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#askInTurn((one, either) => one.requireSuccess(block, txHashes, either), signal)
  }

  /** One node is enough: a signature proves itself. */
  get readSigners(): ChainReader['readSigners'] {
    if (this.#readers.some((reader) => reader.readSigners === undefined)) return undefined
    return (txHashes, signal) =>
      this.#askInTurn(
        (reader, either) => required(reader.readSigners?.bind(reader), 'its signers')(txHashes, either),
        signal,
      )
  }

  /** Returns the first answer that a node gives, or throws the last node's error where none does. */
  async #askInTurn<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
    const failures: unknown[] = []
    for (const node of this.#inTurn()) {
      const [told] = await this.#hear([node], question, { signal, failures })
      if (told !== undefined) return told.value
    }
    throw failures.at(-1)
  }

  readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly bigint[]> {
    const question: Question<readonly bigint[]> = (reader, either) =>
      reader.readBalances(asset, addresses, height, either)
    return this.#agree(question, (balances) => balances.join(), `balances at block ${height}`, signal)
  }

  get readTotalSupply(): ChainReader['readTotalSupply'] {
    if (this.#readers.some((reader) => reader.readTotalSupply === undefined)) return undefined
    return (contract, height, signal) => {
      const question: Question<bigint> = (reader, either) => {
        if (reader.readTotalSupply === undefined) throw new NodeError('a node of contracts tells no supply')
        return reader.readTotalSupply(contract, height, either)
      }
      return this.#agree(question, String, `the supply of ${contract}`, signal)
    }
  }

  get findGone(): ChainReader['findGone'] {
    if (this.#readers.some((reader) => reader.findGone === undefined)) return undefined
    return (coins, height, signal) => {
      const question: Question<readonly string[]> = async (reader, either) =>
        required(reader.findGone, 'its search')(coins, height, either)
      return this.#agree(question, (gone) => gone.join(), `coins gone at block ${height}`, signal)
    }
  }

  get listCoins(): ChainReader['listCoins'] {
    if (this.#readers.some((reader) => reader.listCoins === undefined)) return undefined
    return (addresses, height, signal) => {
      const question: Question<readonly ListedCoin[]> = async (reader, either) =>
        required(reader.listCoins, 'its list')(addresses, height, either)
      return this.#agree(question, coinsKey, `coins up to block ${height}`, signal)
    }
  }

  get checkingNodes(): readonly ChainReader[] {
    const spare = this.#order.length > voicesMin ? this.#order.slice(voicesMin) : this.#order
    return spare.map((node) => required(this.#readers[node], 'node'))
  }

  /** The first word of a node that knows the transaction: mempools differ, so that one does not know it says little. */
  async readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionSight> {
    const asked = await Promise.allSettled(
      this.#readers.map((reader) => reader.readTransaction(txHash, signal)),
    )
    const sights = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const known = sights.find(({ type }) => type !== 'unknown' && type !== 'pending')
    const best = known ?? sights.find(({ type }) => type === 'pending') ?? sights[0]
    if (best !== undefined) return best
    throw asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))[0]
  }

  get sanctions(): SanctionsReader | undefined {
    if (this.#readers.some(({ sanctions }) => sanctions === undefined)) return undefined
    return {
      isListed: (oracle, addresses, signal) => {
        const question: Question<readonly boolean[]> = async (reader, either) =>
          required(reader.sanctions, 'its oracles').isListed(oracle, addresses, either)
        return this.#agree(question, (listed) => listed.join(), 'what an oracle lists', signal)
      },
    }
  }

  get mempool(): MempoolReader | undefined {
    if (this.#readers.some(({ mempool }) => mempool === undefined)) return undefined
    return {
      listMempool: (signal) => this.#listMempools(signal),
      readWaiting: (txHashes, signal) => this.#readWaiting(txHashes, signal),
      readLineage: (txHash, signal) => this.#readLineage(txHash, signal),
    }
  }

  /** What any of them holds: nothing is booked by it, and mempools differ. */
  async #listMempools(signal: AbortSignal): Promise<readonly string[]> {
    const told = await this.#hearAll((reader, either) => mempoolOf(reader).listMempool(either), signal)
    return [...new Set(told.flatMap(({ value }) => value))]
  }

  /** Each as the first that knows it tells it. */
  async #readWaiting(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly WaitingTransaction[]> {
    const waiting = new Map<string, WaitingTransaction>()
    const nodes = this.#inTurn()
    const failures = [] as unknown[]
    for (const node of nodes) {
      const missing = txHashes.filter((txHash) => !waiting.has(txHash))
      if (missing.length === 0) break
      const asked = { signal, failures }
      const [told] = await this.#hear(
        [node],
        (one, either) => mempoolOf(one).readWaiting(missing, either),
        asked,
      )
      for (const one of told?.value ?? []) waiting.set(one.txHash, one)
    }
    // Whoever asks takes what is not told as gone, and looks no more.
    if (failures.length === nodes.length) throw failures[0]
    return [...waiting.values()]
  }

  async #readLineage(txHash: string, signal: AbortSignal): Promise<readonly SpentOutpoint[] | undefined> {
    const failures: unknown[] = []
    for (const node of this.#inTurn()) {
      const asked = { signal, failures }
      const [told] = await this.#hear(
        [node],
        (one, either) => mempoolOf(one).readLineage(txHash, either),
        asked,
      )
      if (told?.value !== undefined) return told.value
    }
    // One that failed may be the only one that holds it.
    if (failures.length > 0) throw failures[0]
    return undefined
  }

  watchHeads(onHead: () => void, signal: AbortSignal): void {
    for (const reader of this.#readers) reader.watchHeads(onHead, signal)
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()))
  }

  /** With three, two must be there: else whoever silences two of them could pass for all. */
  get #mayBelieveOne(): boolean {
    return this.#readers.length === voicesMin
  }

  /** What two nodes tell alike: two are asked at once, then one more at a time until two agree. */
  async #agree<T>(
    question: Question<T>,
    keyOf: (value: T) => string,
    what: string,
    signal: AbortSignal,
  ): Promise<T> {
    const nodes = this.#inTurn()
    const told: Told<T>[] = []
    const failures: unknown[] = []
    for (const group of [nodes.slice(0, voicesMin), ...nodes.slice(voicesMin).map((node) => [node])]) {
      told.push(...(await this.#hear(group, question, { signal, failures })))
      const agreed = findAgreed(told, keyOf)
      if (agreed === undefined) continue
      this.#putLast(agreed.others, what)
      return agreed.value
    }
    const [only] = told
    if (only === undefined) throw failures[0]
    if (told.length === 1 && this.#mayBelieveOne) return only.value
    throw new NodeError(`${this.network}: no two of ${this.#readers.length} nodes tell the same of ${what}`)
  }

  async #countHolders(
    block: BlockRef,
    heads: readonly Told<BlockRef>[],
    signal: AbortSignal,
  ): Promise<number> {
    const known = heads.map(({ node, value }) => ({ node, holds: holds(value, block) }))
    const count = known.filter((one) => one.holds === true).length
    if (count >= voicesMin) return count
    const unsure = known.filter((one) => one.holds === undefined).map(({ node }) => node)
    const headers = await this.#hear(unsure, (one, either) => one.readHeader(block.height, either), {
      signal,
    })
    return count + headers.filter(({ value }) => value?.hash === block.hash).length
  }

  /** The answers of all who are not at rest. @throws what the first of them said where none answers */
  async #hearAll<T>(question: Question<T>, signal: AbortSignal): Promise<readonly Told<T>[]> {
    const failures: unknown[] = []
    const asked = { signal, failures, patienceMs: headPatienceMs }
    const told = await this.#hear(this.#inTurn(), question, asked)
    if (told.length === 0) throw failures[0]
    return told
  }

  /** Asks some nodes at once; who is away is put to rest, and each failure is kept in `failures`. */
  async #hear<T>(
    nodes: readonly number[],
    question: Question<T>,
    { signal, failures = [], patienceMs }: { signal: AbortSignal; failures?: unknown[]; patienceMs?: number },
  ): Promise<readonly Told<T>[]> {
    const heard = await Promise.all(
      nodes.map(async (node): Promise<readonly Told<T>[]> => {
        const bounded = linkSignal([signal], patienceMs)
        try {
          const value = await question(required(this.#readers[node], 'node'), bounded.signal)
          this.#restsUntil.delete(node)
          return [{ node, value }]
        } catch (error) {
          if (signal.aborted) throw signal.reason
          const isSlow = bounded.signal.aborted
          if (!isSlow && !(error instanceof NodeError)) throw error
          failures.push(isSlow ? new NodeError(`${this.network}: node ${node} does not answer`) : error)
          this.#noteFailure(node, error, isSlow)
          return []
        } finally {
          bounded.release()
        }
      }),
    )
    return heard.flat()
  }

  /** Whose turn it is: those who are awake, and all where too few are. */
  #inTurn(): readonly number[] {
    const now = performance.now()
    const awake = this.#order.filter((node) => (this.#restsUntil.get(node) ?? 0) <= now)
    const enough = this.#mayBelieveOne ? 1 : voicesMin
    return awake.length >= enough ? awake : this.#order
  }

  /** With a cause the node is away; without, it contradicts itself, which the next question may show to be over. */
  #noteFailure(node: number, error: unknown, isSlow: boolean): void {
    this.#log.warn({ network: this.network, node, err: error }, 'a node failed, others are asked')
    if (isSlow || (error instanceof Error && error.cause !== undefined)) {
      this.#restsUntil.set(node, performance.now() + restMs)
    }
  }

  #putLast(nodes: readonly number[], what: string): void {
    if (nodes.length === 0) return
    this.#log.warn({ network: this.network, nodes, what }, 'a node tells otherwise than two others')
    this.#order = [...this.#order.filter((node) => !nodes.includes(node)), ...nodes]
  }
}

function mempoolOf({ mempool, network }: ChainReader): MempoolReader {
  return required(mempool, `the mempool of ${network}`)
}
