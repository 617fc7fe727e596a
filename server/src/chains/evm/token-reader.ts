/**
 * Reads transfers of tokens from logs alone, many blocks in one request. A node behind a load balancer answers
 * with no logs for blocks that it does not have. So the logs of a range count only if the header of its last
 * block is in the same answer. If the bloom filter of a block may contain a token without a log in the answer, the
 * logs of that block are requested again by its hash.
 */
import { call, field, quantity, type RpcCall, resultOf } from '../json-rpc.ts'
import {
  type BlockRef,
  NodeError,
  type SightedBlock,
  type SightedTransfer,
  type TokenReader,
  type Transfer,
} from '../port.ts'
import {
  addressOf,
  arrayOf,
  countOf,
  type Header,
  hashOf,
  type Log,
  readHeader,
  readLogs,
  readReceipt,
} from './answers.ts'
import { BatchLength } from './batch-length.ts'
import type { ChainCalls } from './chain-calls.ts'
import { type BloomBits, bloomOf, mayHold } from './encoding/bloom.ts'
import { sameHeight } from './read-block.ts'
import { tokenTransfer, tokenTransfers, transferTopic, withOrigins } from './transfers.ts'

/** Maximum number of blocks in one request. With the call for the logs they fill the longest batch. */
const blocksPerRequest = 99

export class EvmTokenReader implements TokenReader {
  readonly #calls: ChainCalls
  /** The maximum number of blocks in one request for logs. Nodes limit the number of blocks or of logs. */
  readonly #length = new BatchLength(blocksPerRequest)
  readonly #bloomBits: BloomBits = new Map()

  constructor(calls: ChainCalls) {
    this.#calls = calls
  }

  async readSighted(
    { from, to }: { readonly from: number; readonly to: number },
    contracts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly SightedBlock[]> {
    const blocks: SightedBlock[] = []
    for (let next = from; next <= to; ) {
      const last = Math.min(to, next + this.#length.current - 1)
      const read = await this.#readRange(next, last, contracts, signal)
      if (read === 'last block is missing') return []
      if (read === 'range is too long') continue
      blocks.push(...read)
      next = last + 1
    }
    return blocks
  }

  async readTransfers(
    block: BlockRef,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Transfer[]> {
    const asked = txHashes.map((txHash) => call('eth_getTransactionReceipt', txHash))
    const answers = await this.#calls.ask(asked, signal)
    return txHashes.flatMap((txHash, index) => {
      const answer = resultOf(answers[index], 'eth_getTransactionReceipt')
      return transfersIn(answer, block, txHash)
    })
  }

  async #readRange(
    from: number,
    to: number,
    contracts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly SightedBlock[] | 'last block is missing' | 'range is too long'> {
    const heights = Array.from({ length: to - from + 1 }, (_, below) => to - below)
    // The last header comes next to the logs, so that one answer has both even if the batch must be divided. For a
    // node without batches, the bloom filters alone show that logs are missing.
    const [logs, ...answers] = await this.#calls.ask(
      [
        logsCall({ fromBlock: quantity(from), toBlock: quantity(to) }, contracts),
        ...heights.map((height) => call('eth_getBlockByNumber', quantity(height), false)),
      ],
      signal,
    )
    const found = answers.map((answer, index) =>
      sameHeight(readHeader(resultOf(answer, 'eth_getBlockByNumber')), heights[index] ?? 0),
    )
    if (found[0] === undefined) return 'last block is missing'
    if (logs?.error !== undefined && from < to) {
      this.#length.wasTooLong(heights.length)
      return 'range is too long'
    }
    this.#length.wasAccepted(heights.length)
    const headers = found.toReversed().map(requireHeader)
    const sighted = sightedIn(resultOf(logs, 'eth_getLogs'), headers, contracts)
    return this.#completed(headers, sighted, contracts, signal)
  }

  /** Asks again for the logs that the headers' bloom filters may hold and that did not come. */
  async #completed(
    headers: readonly Header[],
    sighted: ReadonlyMap<string, readonly SightedTransfer[]>,
    contracts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly SightedBlock[]> {
    const missing = headers.flatMap((header) => {
      const seen = new Set(sighted.get(header.block.hash)?.map(({ contract }) => contract))
      const unseen = contracts.filter((contract) => !seen.has(contract) && this.#mayHold(header, contract))
      return unseen.length === 0 ? [] : [{ header, unseen }]
    })
    const again = await this.#calls.ask(
      missing.map(({ header, unseen }) => logsCall({ blockHash: header.block.hash }, unseen)),
      signal,
    )
    const added = new Map(
      missing.map(({ header, unseen }, index) => {
        const result = resultOf(again[index], 'eth_getLogs')
        return [header.block.hash, sightedIn(result, [header], unseen).get(header.block.hash) ?? []] as const
      }),
    )
    return headers.map(({ block }) => ({
      block,
      transfers: [...(sighted.get(block.hash) ?? []), ...(added.get(block.hash) ?? [])],
    }))
  }

  #mayHold({ logsBloom }: Header, contract: string): boolean {
    return mayHold(logsBloom, [contract, transferTopic], this.#bloomBits)
  }
}

type BlockFilter = { readonly fromBlock: string; readonly toBlock: string } | { readonly blockHash: string }

function logsCall(blocks: BlockFilter, contracts: readonly string[]): RpcCall {
  return call('eth_getLogs', { ...blocks, address: contracts, topics: [transferTopic] })
}

function requireHeader(header: Header | undefined): Header {
  if (header !== undefined) return header
  throw new NodeError('the node has a block, but not one below it')
}

/** Returns the transfers in the logs, by the hash of their block. Other events of the tokens are left out. */
function sightedIn(
  value: unknown,
  headers: readonly Header[],
  contracts: readonly string[],
): ReadonlyMap<string, readonly SightedTransfer[]> {
  const sighted = new Map<string, SightedTransfer[]>(headers.map(({ block }) => [block.hash, []]))
  for (const item of arrayOf(value, 'logs')) {
    const blockHash = hashOf(field(item, 'blockHash'), 'block hash of a log')
    const ofBlock = sighted.get(blockHash)
    if (ofBlock === undefined)
      throw new NodeError(`a log belongs to block ${blockHash}, which was not asked for`)
    const log = readSightedLog(item, blockHash)
    if (!contracts.includes(log.address))
      throw new NodeError(`a log is of ${log.address}, which was not asked for`)
    const transfer = tokenTransfer(log, 0)
    if (transfer === undefined) continue
    ofBlock.push({ txHash: log.txHash, contract: log.address, recipient: transfer.recipient })
  }
  return sighted
}

/** Parses a log whose position among the logs of its block is not known. */
function readSightedLog(item: unknown, blockHash: string): Log {
  const txHash = hashOf(field(item, 'transactionHash'), 'transaction hash of a log')
  const parts = { block: { hash: blockHash }, txHashes: new Set([txHash]) }
  const [log] = readLogs([item], parts, new Set(), indexOf(item))
  if (log !== undefined) return log
  throw new NodeError('the node returned no log')
}

function indexOf(log: unknown): number {
  return countOf(field(log, 'logIndex'), 'log index')
}

/**
 * Returns the token transfers of a transaction, with the keys that `readBlock` gives them.
 * @throws NodeError if the receipt does not belong to the block, or its logs do not match its bloom filter
 */
function transfersIn(answer: unknown, block: BlockRef, txHash: string): readonly Transfer[] {
  const receipt = readReceipt(answer)
  if (receipt?.txHash !== txHash || receipt.blockHash !== block.hash || !receipt.succeeded)
    throw new NodeError(`the receipt of ${txHash} does not match its logs`)
  const listed = arrayOf(receipt.logs, 'logs')
  const [first] = listed
  const parts = { block, txHashes: new Set([txHash]) }
  const logs = readLogs(listed, parts, new Set(), first === undefined ? 0 : indexOf(first))
  if (bloomOf(logs) !== String(field(answer, 'logsBloom')).toLowerCase())
    throw new NodeError(`the logs of ${txHash} do not match its bloom filter`)
  const signer = addressOf(receipt.signer, 'sender of a transaction')
  const call = { txHash, position: [], failed: false, move: undefined, signer }
  return withOrigins(tokenTransfers(logs), [call])
}
