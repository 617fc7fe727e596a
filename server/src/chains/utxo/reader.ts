/** Reads a UTXO chain through one node. Blocks are read as bytes and verified against their hashes. */
import { call, field } from '../json-rpc.ts'
import type { UtxoNetwork } from '../networks.ts'
import {
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  type ChainTraits,
  type Head,
  type MempoolReader,
  NodeError,
  type TransactionLookup,
  type TransferAsset,
} from '../port.ts'
import { ReadWindow } from '../read-window.ts'
import { scriptReader } from './address-encoding.ts'
import { countOf, foundAnswer, hashOf, heightAnswer, listOf, readHeader, textOf } from './answers.ts'
import { answerTimeoutMs, CoreCalls } from './core-calls.ts'
import { type RawBlock, readRawBlock, spentBy } from './encoding/raw-block.ts'
import { findGone } from './find-gone.ts'
import { watchHeads } from './heads.ts'
import { readAncestors, readWaiting } from './mempool.ts'
import { type PayersOf, payerReader } from './payers.ts'
import { listUnspent, readUnspent } from './read-unspent.ts'
import { transfersOf } from './transfers.ts'

export interface CoreNode {
  readonly network: UtxoNetwork
  readonly url: string
  readonly timeoutMs?: number
}

export function openUtxoReader({ network, url, timeoutMs = answerTimeoutMs }: CoreNode): ChainReader {
  return new UtxoReader(network, url, timeoutMs)
}

const blocksAtOnce = 8
/** Number of output indexes to try when a node without a transaction index is asked for a transaction. */
const outputsTried = 20

class UtxoReader implements ChainReader {
  readonly network
  readonly traits: ChainTraits = {
    family: 'utxo',
    hasContracts: false,
    seesInternalTransfers: true,
    hasOutpoints: true,
  }
  readonly mempool: MempoolReader
  readonly findGone: ChainReader['findGone']
  readonly listUnspent: ChainReader['listUnspent']
  readonly #row: UtxoNetwork
  readonly #url: string
  readonly #calls: CoreCalls
  readonly #window = new ReadWindow(blocksAtOnce)
  readonly #addressOf: (script: Uint8Array) => string | undefined
  readonly #payersOf: PayersOf

  constructor(network: UtxoNetwork, url: string, timeoutMs: number) {
    this.network = network.name
    this.#row = network
    this.#url = url
    this.#calls = new CoreCalls(network, url, timeoutMs)
    this.#addressOf = scriptReader(network.chain)
    this.#payersOf = payerReader(network.chain)
    const { chain } = network
    this.mempool = this.#openMempool()
    this.findGone = chain.canScan
      ? undefined
      : (outputs, height, signal) =>
          findGone({ ...this.#rawBlocks(signal), calls: this.#calls, chain }, outputs, height, signal)
    this.listUnspent = chain.canScan
      ? (addresses, height, signal) => listUnspent({ calls: this.#calls, chain }, addresses, height, signal)
      : undefined
  }

  checkIdentity(signal: AbortSignal): Promise<void> {
    return this.#calls.checkIdentity(signal)
  }

  async readHead(signal: AbortSignal): Promise<Head> {
    const info = await this.#calls.result(call('getblockchaininfo'), signal)
    const hash = hashOf(field(info, 'bestblockhash'), 'best block')
    // The node may have the headers of the newest blocks without having these blocks. The count of headers is
    // therefore the height that the node claims.
    const claimedHeight = countOf(field(info, 'headers'), 'count of headers')
    const head = readHeader(await this.#calls.result(call('getblockheader', hash), signal), hash)
    return claimedHeight > head.height ? { ...head, claimedHeight } : head
  }

  /** Returns undefined: no block is final, because a chain with more work can always replace it. */
  async readFinalHeight(signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted()
  }

  async readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined> {
    const hash = await this.#hashAt(height, signal)
    if (hash === undefined) return undefined
    const header = readHeader(await this.#calls.result(call('getblockheader', hash), signal), hash)
    if (header.height === height) return header
    throw new NodeError(`the node returned block ${header.height} for ${height}`)
  }

  readBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined> {
    return this.#window.within(async () => {
      const hash = await this.#hashAt(height, signal)
      if (hash === undefined) return undefined
      const { parentHash, minedAt, transactions } = await this.#readRaw(hash, signal)
      const transfers = transactions.flatMap((one) =>
        transfersOf(one, this.#row.chain, this.#addressOf, this.#payersOf),
      )
      const spent = transactions.flatMap(spentBy)
      return { block: { height, hash, parentHash, minedAt }, transfers, spent }
    }, signal)
  }

  /**
   * Fetches a Merkle proof that the transactions are in the block. The node verifies the proof, and also that
   * the block is in its chain.
   */
  async requireSuccess(block: BlockRef, txHashes: readonly string[], signal: AbortSignal): Promise<void> {
    if (txHashes.length === 0) return
    const proof = await this.#calls.result(call('gettxoutproof', [...txHashes], block.hash), signal)
    const proved = await this.#calls.result(call('verifytxoutproof', proof), signal)
    const ids = new Set(listOf(proved, 'proved transactions'))
    const missing = txHashes.find((txHash) => !ids.has(txHash))
    if (missing !== undefined) throw new NodeError(`the node does not prove that ${missing} is in its chain`)
  }

  async readTransaction(txHash: string, signal: AbortSignal): Promise<TransactionLookup> {
    const [answer] = await this.#calls.ask([call('getrawtransaction', txHash, true)], signal)
    const known = foundAnswer(answer, 'getrawtransaction')
    const blockHash = known === undefined ? await this.#findUnspent(txHash, signal) : known['blockhash']
    if (blockHash !== undefined) return this.#lookupIn(hashOf(blockHash, 'block hash'), txHash, signal)
    return { type: known === undefined ? 'unknown' : 'pending' }
  }

  readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly bigint[]> {
    if (asset.type === 'token') throw new NodeError(`there are no tokens on ${this.network}`)
    const parts = { ...this.#rawBlocks(signal), calls: this.#calls, chain: this.#row.chain }
    return readUnspent(parts, addresses, height, signal)
  }

  watchHeads(onHead: () => void, signal: AbortSignal): void {
    watchHeads(this.#url, onHead, signal)
  }

  close(): Promise<void> {
    return this.#calls.rpc.close()
  }

  #openMempool(): MempoolReader {
    const { chain } = this.#row
    return {
      listMempool: async (signal) => {
        const listed = listOf(await this.#calls.result(call('getrawmempool'), signal), 'waiting transactions')
        return listed.map((txHash) => hashOf(txHash, 'transaction hash'))
      },
      readWaiting: async (txHashes, signal) => {
        const waiting = await readWaiting(this.#calls, txHashes, signal)
        return waiting.map((one) => ({
          txHash: one.txid,
          transfers: transfersOf(one, chain, this.#addressOf, this.#payersOf),
          spends: one.inputs.map(({ outpoint }) => outpoint),
        }))
      },
      readAncestors: (txHash, signal) => readAncestors(this.#calls, txHash, signal),
    }
  }

  async #hashAt(height: number, signal: AbortSignal): Promise<string | undefined> {
    const [answer] = await this.#calls.ask([call('getblockhash', height)], signal)
    return heightAnswer(answer)
  }

  #rawBlocks(signal: AbortSignal) {
    const readRaw = async (height: number) => {
      const hash = await this.#hashAt(height, signal)
      if (hash === undefined) throw new NodeError(`the node no longer has block ${height}`)
      return this.#readRaw(hash, signal)
    }
    return { readRaw }
  }

  async #readRaw(hash: string, signal: AbortSignal): Promise<RawBlock> {
    // Dogecoin Core accepts only a boolean as verbosity; the other nodes accept false in place of 0.
    const hex = textOf(await this.#calls.result(call('getblock', hash, false), signal), 'block')
    this.#window.sawAnswer(hex.length)
    return readRawBlock(hex, hash, this.#row.chain.hasAuxPow)
  }

  /**
   * Returns the hash of a transaction's block, if one of the transaction's first outputs is unspent. Nodes
   * find unspent outputs without a transaction index.
   */
  async #findUnspent(txHash: string, signal: AbortSignal): Promise<string | undefined> {
    const calls = Array.from({ length: outputsTried }, (_, index) => call('gettxout', txHash, index, false))
    const answers = await this.#calls.ask(calls, signal)
    const found = answers.map((answer) => foundAnswer(answer, 'gettxout')).find((one) => one !== undefined)
    if (found === undefined) return undefined
    const best = hashOf(found['bestblock'], 'best block')
    const head = readHeader(await this.#calls.result(call('getblockheader', best), signal), best)
    return this.#hashAt(head.height - countOf(found['confirmations'], 'confirmations') + 1, signal)
  }

  async #lookupIn(blockHash: string, txHash: string, signal: AbortSignal): Promise<TransactionLookup> {
    const answer = await this.#calls.result(call('getblockheader', blockHash), signal)
    // A block that is no longer in the node's chain has -1 confirmations.
    if (Number(field(answer, 'confirmations')) < 1) return { type: 'unknown' }
    const { height } = readHeader(answer, blockHash)
    const facts = await this.readBlock(height, signal)
    if (facts?.block.hash !== blockHash) throw new NodeError(`${txHash} is changing its block`)
    return {
      type: 'mined',
      block: facts.block,
      transfers: facts.transfers.filter((transfer) => transfer.txHash === txHash),
    }
  }
}
