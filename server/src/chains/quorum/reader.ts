/**
 * Combines several nodes of one chain into one reader. Only data that two nodes report alike is booked. While
 * two nodes agree, a third node that lies, fails or lags has no effect. If one of only two nodes is
 * unreachable, the other is trusted alone, and the head has `hasSingleNode`. Meanwhile no block becomes
 * final, so everything that needs a quorum waits.
 */

import { required } from '../../core/assert.ts'
import { monotonicMs } from '../../core/clock.ts'
import { linkSignal } from '../../core/concurrency/linked-signal.ts'
import type { Log } from '../../core/log.ts'
import {
  type AgreementOptions,
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  type ChainTraits,
  type Head,
  type MempoolReader,
  NodeError,
  type SanctionsReader,
  type SightedBlock,
  type SpentOutpoint,
  type TokenReader,
  type TransactionLookup,
  type Transfer,
  type TransferAsset,
  type UnspentOutput,
  type WaitingTransaction,
  WrongChainError,
} from '../port.ts'
import {
  agreedFinalHeight,
  claimedHeight,
  factsKey,
  findAgreed,
  findAgreedFacts,
  headerKey,
  holds,
  type NodeReport,
  quorumSize,
  sightedKey,
  unspentKey,
} from './agreement.ts'

/**
 * Timeout of requests that are sent to all nodes. A node that hangs must not delay the answers of the others.
 */
const headPatienceMs = 3_000
/** Time for which no requests are sent to a node that was unreachable, if enough other nodes are left. */
const restMs = 30_000

/** How an answer on which two nodes agree is found. */
interface Agreement<T> {
  /**
   * Returns the value on which nodes agree, and the nodes that contradict it. Undefined if the nodes that are
   * left must be asked first.
   */
  readonly find: (
    reports: readonly NodeReport<T>[],
    left: readonly number[],
  ) => { readonly value: T; readonly others: readonly number[] } | undefined
  /** The nodes in the order in which they are asked. */
  readonly nodes: readonly number[]
  /** What is read, for messages. */
  readonly what: string
  /** Whether no node is believed alone. */
  readonly needsTwo?: boolean
}

type Question<T> = (reader: ChainReader, signal: AbortSignal) => Promise<T>

/** Combines `readers` of one network, the preferred one first. Closing the result closes all readers. */
export function openQuorumReader(readers: readonly ChainReader[], log: Log): ChainReader {
  return readers.length === 1 ? required(readers[0], 'the node') : new QuorumReader(readers, log)
}

class QuorumReader implements ChainReader {
  readonly network
  readonly #readers: readonly ChainReader[]
  readonly #log: Log
  /** Indexes into `#readers`, in the order of requests. A node that contradicted two others is last. */
  #order: readonly number[]
  /**
   * The time until which no requests are sent to an unreachable node, by the node's index. In milliseconds of
   * `monotonicMs()`.
   */
  readonly #restsUntil = new Map<number, number>()

  constructor(readers: readonly ChainReader[], log: Log) {
    this.network = required(readers[0], 'the first node').network
    this.#readers = readers
    this.#log = log
    this.#order = readers.map((_, node) => node)
  }

  /**
   * Returns the properties that all nodes share, because any node may answer the next request. Internal transfers
   * are seen if enough nodes report them to agree on them.
   */
  get traits(): ChainTraits {
    const all = this.#readers.map(({ traits }) => traits)
    const { family, hasContracts, hasOutpoints } = required(all[0], 'the first node')
    return {
      family,
      hasContracts,
      hasOutpoints,
      seesInternalTransfers: all.filter((traits) => traits.seesInternalTransfers).length >= quorumSize,
    }
  }

  /** Rejects if any node belongs to another chain, or if no node passes its check. */
  async checkIdentity(signal: AbortSignal): Promise<void> {
    const checks = await Promise.allSettled(this.#readers.map((reader) => reader.checkIdentity(signal)))
    const failures = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []))
    const wrong = failures.find((failure) => failure instanceof WrongChainError)
    if (wrong !== undefined) throw wrong
    if (failures.length === this.#readers.length) throw failures[0]
  }

  /**
   * Returns the highest block that two nodes have. If only one of two nodes answers, returns the head of that
   * node.
   */
  async readHead(signal: AbortSignal): Promise<Head> {
    const heads = await this.#hearAll((reader, either) => reader.readHead(either), signal)
    const [only] = heads
    if (heads.length === 1 && only !== undefined && this.#mayTrustSingleNode)
      return { ...only.value, hasSingleNode: true }
    for (const { value: block } of heads.toSorted((a, b) => b.value.height - a.value.height)) {
      if ((await this.#countHolders(block, heads, signal)) < quorumSize) continue
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
    const seesCalls = (node: number) => this.#readers[node]?.traits.seesInternalTransfers === true
    // A block without internal transfers is accepted only if the nodes that are left cannot report any.
    const find = (reports: readonly NodeReport<BlockFacts | undefined>[], left: readonly number[]) => {
      const agreed = findAgreedFacts(reports)
      return agreed?.value?.tracedBy === 'none' && left.some(seesCalls) ? undefined : agreed
    }
    const nodes = this.#inRotation().toSorted((a, b) => Number(seesCalls(b)) - Number(seesCalls(a)))
    const question: Question<BlockFacts | undefined> = (reader, either) => reader.readBlock(height, either)
    return this.#agreeBy(question, { find, nodes, what: `block ${height}` }, signal)
  }

  readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined> {
    const what = `the header of block ${height}`
    return this.#agree((reader, either) => reader.readHeader(height, either), headerKey, what, signal)
  }

  get tokens(): TokenReader | undefined {
    if (this.#readers.some(({ tokens }) => tokens === undefined)) return undefined
    return {
      readSighted: (range, contracts, signal) => {
        const question: Question<readonly SightedBlock[]> = async ({ tokens }, either) =>
          required(tokens, 'its tokens').readSighted(range, contracts, either)
        return this.#agree(question, sightedKey, `the tokens of blocks ${range.from} to ${range.to}`, signal)
      },
      readTransfers: (block, txHashes, signal) => {
        const question: Question<readonly Transfer[]> = async ({ tokens }, either) =>
          required(tokens, 'its tokens').readTransfers(block, txHashes, either)
        const keyOf = (transfers: readonly Transfer[]) => factsKey({ block, transfers })
        return this.#agree(question, keyOf, `the receipts of block ${block.height}`, signal)
      },
    }
  }

  /** Asks only one node, because two nodes have already reported the block. */
  async requireSuccess(block: BlockRef, txHashes: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#askInRotation((one, either) => one.requireSuccess(block, txHashes, either), signal)
  }

  /** The returned function asks only one node, because a signature proves its signer. */
  get readSigners(): ChainReader['readSigners'] {
    if (this.#readers.some((reader) => reader.readSigners === undefined)) return undefined
    return (txHashes, signal) =>
      this.#askInRotation(
        (reader, either) => required(reader.readSigners?.bind(reader), 'its signers')(txHashes, either),
        signal,
      )
  }

  /**
   * The returned function asks only one node. A wrong answer costs a warning too many or too few, but cannot
   * direct money elsewhere.
   */
  get isContract(): ChainReader['isContract'] {
    if (this.#readers.some((reader) => reader.isContract === undefined)) return undefined
    return (address, signal) =>
      this.#askInRotation(
        (reader, either) => required(reader.isContract?.bind(reader), 'its contracts')(address, either),
        signal,
      )
  }

  /** Asks one node after another and returns the first answer. @throws the last error if no node answers */
  async #askInRotation<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
    const failures: unknown[] = []
    for (const node of this.#inRotation()) {
      const [reported] = await this.#hear([node], question, { signal, failures })
      if (reported !== undefined) return reported.value
    }
    throw failures.at(-1)
  }

  readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
    { needsTwo = false }: AgreementOptions = {},
  ): Promise<readonly bigint[]> {
    const question: Question<readonly bigint[]> = (reader, either) =>
      reader.readBalances(asset, addresses, height, either)
    const find = (reports: readonly NodeReport<readonly bigint[]>[]) =>
      findAgreed(reports, (balances) => balances.join())
    const nodes = this.#inRotation(needsTwo ? quorumSize : undefined)
    return this.#agreeBy(question, { find, nodes, what: `balances at block ${height}`, needsTwo }, signal)
  }

  get readTotalSupply(): ChainReader['readTotalSupply'] {
    if (this.#readers.some((reader) => reader.readTotalSupply === undefined)) return undefined
    return (contract, height, signal) => {
      const question: Question<bigint> = (reader, either) => {
        if (reader.readTotalSupply === undefined)
          throw new NodeError('a node does not report the total supply')
        return reader.readTotalSupply(contract, height, either)
      }
      return this.#agree(question, String, `the supply of ${contract}`, signal)
    }
  }

  get findGone(): ChainReader['findGone'] {
    if (this.#readers.some((reader) => reader.findGone === undefined)) return undefined
    return (outputs, height, signal) => {
      const question: Question<readonly string[]> = async (reader, either) =>
        required(reader.findGone, 'its search')(outputs, height, either)
      return this.#agree(question, (gone) => gone.join(), `spent outputs at block ${height}`, signal)
    }
  }

  get listUnspent(): ChainReader['listUnspent'] {
    if (this.#readers.some((reader) => reader.listUnspent === undefined)) return undefined
    return (addresses, height, signal) => {
      const question: Question<readonly UnspentOutput[]> = async (reader, either) =>
        required(reader.listUnspent, 'its list')(addresses, height, either)
      return this.#agree(question, unspentKey, `UTXOs up to block ${height}`, signal)
    }
  }

  get checkingNodes(): readonly ChainReader[] {
    const spare = this.#order.length > quorumSize ? this.#order.slice(quorumSize) : this.#order
    return spare.map((node) => required(this.#readers[node], 'node'))
  }

  /**
   * Asks all nodes and prefers the answer of a node that has the transaction in a block. The second choice is
   * a node that has the transaction in its mempool. Mempools differ, so a node that does not know the
   * transaction proves little.
   */
  async readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionLookup> {
    const asked = await Promise.allSettled(
      this.#readers.map((reader) => reader.readTransaction(txHash, signal)),
    )
    const found = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const known = found.find(({ type }) => type !== 'unknown' && type !== 'pending')
    const best = known ?? found.find(({ type }) => type === 'pending') ?? found[0]
    if (best !== undefined) return best
    throw asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))[0]
  }

  get sanctions(): SanctionsReader | undefined {
    if (this.#readers.some(({ sanctions }) => sanctions === undefined)) return undefined
    return {
      isListed: (oracle, addresses, signal) => {
        const question: Question<readonly boolean[]> = async (reader, either) =>
          required(reader.sanctions, 'its oracles').isListed(oracle, addresses, either)
        return this.#agree(question, (listed) => listed.join(), 'the entries of an oracle', signal)
      },
    }
  }

  get mempool(): MempoolReader | undefined {
    if (this.#readers.some(({ mempool }) => mempool === undefined)) return undefined
    return {
      listMempool: (signal) => this.#listMempools(signal),
      readWaiting: (txHashes, signal) => this.#readWaiting(txHashes, signal),
      readAncestors: (txHash, signal) => this.#readAncestors(txHash, signal),
    }
  }

  /** Returns the transactions that are in the mempool of at least one node, because mempools differ. */
  async #listMempools(signal: AbortSignal): Promise<readonly string[]> {
    const reported = await this.#hearAll((reader, either) => mempoolOf(reader).listMempool(either), signal)
    return [...new Set(reported.flatMap(({ value }) => value))]
  }

  /**
   * Returns each of the transactions from the first node that has it in its mempool, in the order of the
   * hashes.
   */
  async #readWaiting(
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly WaitingTransaction[]> {
    const waiting = new Map<string, WaitingTransaction>()
    const nodes = this.#inRotation()
    const failures = [] as unknown[]
    for (const node of nodes) {
      const missing = txHashes.filter((txHash) => !waiting.has(txHash))
      if (missing.length === 0) break
      const asked = { signal, failures }
      const [reported] = await this.#hear(
        [node],
        (one, either) => mempoolOf(one).readWaiting(missing, either),
        asked,
      )
      for (const one of reported?.value ?? []) waiting.set(one.txHash, one)
    }
    // The caller stops polling for a transaction that is not returned, so a failure of all nodes must throw.
    if (failures.length === nodes.length) throw failures[0]
    return txHashes.flatMap((txHash) => waiting.get(txHash) ?? [])
  }

  async #readAncestors(txHash: string, signal: AbortSignal): Promise<readonly SpentOutpoint[] | undefined> {
    const failures: unknown[] = []
    for (const node of this.#inRotation()) {
      const asked = { signal, failures }
      const [reported] = await this.#hear(
        [node],
        (one, either) => mempoolOf(one).readAncestors(txHash, either),
        asked,
      )
      if (reported?.value !== undefined) return reported.value
    }
    // If a node failed, it may be the only node that has the transaction. The result must not be undefined
    // then.
    if (failures.length > 0) throw failures[0]
    return undefined
  }

  watchHeads(onHead: () => void, signal: AbortSignal): void {
    for (const reader of this.#readers) reader.watchHeads(onHead, signal)
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()))
  }

  /**
   * Whether a single node may answer alone. This is allowed only if exactly two nodes are configured. An
   * attacker who controls one of three nodes and blocks the other two must not decide what is booked.
   */
  get #mayTrustSingleNode(): boolean {
    return this.#readers.length === quorumSize
  }

  /**
   * Returns the value that two nodes report alike. First asks two nodes in parallel, then one further node at
   * a time until two nodes agree.
   */
  #agree<T>(
    question: Question<T>,
    keyOf: (value: T) => string,
    what: string,
    signal: AbortSignal,
  ): Promise<T> {
    const find = (reports: readonly NodeReport<T>[]) => findAgreed(reports, keyOf)
    return this.#agreeBy(question, { find, nodes: this.#inRotation(), what }, signal)
  }

  async #agreeBy<T>(
    question: Question<T>,
    { find, nodes, what, needsTwo = false }: Agreement<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const reported: NodeReport<T>[] = []
    const failures: unknown[] = []
    for (const group of [nodes.slice(0, quorumSize), ...nodes.slice(quorumSize).map((node) => [node])]) {
      reported.push(...(await this.#hear(group, question, { signal, failures })))
      const left = nodes.slice(nodes.indexOf(required(group.at(-1), 'the last node of a group')) + 1)
      const agreed = find(reported, left)
      if (agreed === undefined) continue
      this.#putLast(agreed.others, what)
      return agreed.value
    }
    const [only] = reported
    if (only === undefined) throw failures[0]
    if (reported.length === 1 && this.#mayTrustSingleNode) {
      if (!needsTwo) return only.value
      // The error of the other node tells the caller whether it lacks the state or cannot be reached.
      if (failures.length > 0) throw failures[0]
    }
    throw new NodeError(`${this.network}: no two of ${this.#readers.length} nodes agree on ${what}`)
  }

  async #countHolders(
    block: BlockRef,
    heads: readonly NodeReport<BlockRef>[],
    signal: AbortSignal,
  ): Promise<number> {
    const known = heads.map(({ node, value }) => ({ node, holds: holds(value, block) }))
    const count = known.filter((one) => one.holds === true).length
    if (count >= quorumSize) return count
    const unsure = known.filter((one) => one.holds === undefined).map(({ node }) => node)
    const headers = await this.#hear(unsure, (one, either) => one.readHeader(block.height, either), {
      signal,
    })
    return count + headers.filter(({ value }) => value?.hash === block.hash).length
  }

  /**
   * Asks all nodes, except those that were unreachable shortly before, and returns their answers.
   * @throws the first error if no node answers
   */
  async #hearAll<T>(question: Question<T>, signal: AbortSignal): Promise<readonly NodeReport<T>[]> {
    const failures: unknown[] = []
    const asked = { signal, failures, patienceMs: headPatienceMs }
    const reported = await this.#hear(this.#inRotation(), question, asked)
    if (reported.length === 0) throw failures[0]
    return reported
  }

  /**
   * Asks the given nodes in parallel and returns their answers. A node that is unreachable is then excluded
   * for a while. Each error is appended to `failures`. Answers and errors are in the order of the nodes.
   */
  async #hear<T>(
    nodes: readonly number[],
    question: Question<T>,
    { signal, failures = [], patienceMs }: { signal: AbortSignal; failures?: unknown[]; patienceMs?: number },
  ): Promise<readonly NodeReport<T>[]> {
    const heard = await Promise.all(
      nodes.map(async (node): Promise<NodeReport<T> | { readonly failure: unknown }> => {
        const bounded = linkSignal([signal], patienceMs)
        try {
          const value = await question(required(this.#readers[node], 'node'), bounded.signal)
          this.#restsUntil.delete(node)
          return { node, value }
        } catch (error) {
          if (signal.aborted) throw signal.reason
          const isSlow = bounded.signal.aborted
          if (!isSlow && !(error instanceof NodeError)) throw error
          this.#noteFailure(node, error, isSlow)
          return { failure: isSlow ? new NodeError(`${this.network}: node ${node} does not answer`) : error }
        } finally {
          bounded.release()
        }
      }),
    )
    failures.push(...heard.flatMap((one) => ('failure' in one ? [one.failure] : [])))
    return heard.flatMap((one) => ('failure' in one ? [] : [one]))
  }

  /**
   * Returns the nodes to ask: all that are not excluded as unreachable, or every node if too few are left.
   */
  #inRotation(enough = this.#mayTrustSingleNode ? 1 : quorumSize): readonly number[] {
    const now = monotonicMs()
    const awake = this.#order.filter((node) => (this.#restsUntil.get(node) ?? 0) <= now)
    return awake.length >= enough ? awake : this.#order
  }

  /**
   * Logs the failure and excludes an unreachable node for a while. A node whose error has no cause did
   * answer, but contradicted itself. It is not excluded, because its next answer may be right.
   */
  #noteFailure(node: number, error: unknown, isSlow: boolean): void {
    this.#log.warn({ network: this.network, node, err: error }, 'a node failed, others are used')
    if (isSlow || (error instanceof Error && error.cause !== undefined)) {
      this.#restsUntil.set(node, monotonicMs() + restMs)
    }
  }

  #putLast(nodes: readonly number[], what: string): void {
    if (nodes.length === 0) return
    this.#log.warn({ network: this.network, nodes, what }, 'a node contradicts two others')
    this.#order = [...this.#order.filter((node) => !nodes.includes(node)), ...nodes]
  }
}

function mempoolOf({ mempool, network }: ChainReader): MempoolReader {
  return required(mempool, `the mempool of ${network}`)
}
