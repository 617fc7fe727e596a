/**
 * Reads an EVM chain through one node. Three calls tell a block: header, all its logs, all its call traces. They go
 * out together and by height; their hashes must agree, the logs must make exactly the bloom that the header states,
 * and every transaction must have its trace, so that an answer that leaves something out is refused.
 */
import type { Network } from '../networks.ts'
import {
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  type ChainTraits,
  NodeError,
  type Transfer,
  type TransferAsset,
  WrongChainError,
} from '../port.ts'
import {
  amountOf,
  arrayOf,
  countOf,
  type Header,
  hashOf,
  type Log,
  type Receipt,
  readHeader,
  readLogs,
  readReceipt,
  readTopMove,
  readTraces,
} from './answers.ts'
import { type BloomMarks, bloomOf } from './bloom.ts'
import { watchHeads } from './heads.ts'
import { field, openRpc, type Rpc, type RpcAnswer, type RpcCall, resultOf } from './rpc.ts'
import { coinTransfer, coinTransfers, orderTransfers, tokenTransfers } from './transfers.ts'

/** How often a block is read anew when its parts do not agree: a block may be replaced between two calls. */
const blockTries = 3
/** Calls in one request where their number follows the caller's list; nodes bound it (geth: 1000). */
const callsPerRequest = 100

export function openEvmReader(parts: { network: Network; url: string }): ChainReader {
  return new EvmReader(parts.network, parts.url, openRpc(parts.url))
}

class EvmReader implements ChainReader {
  readonly network
  readonly #chainId: number
  readonly #url: string
  readonly #rpc: Rpc
  readonly #marks: BloomMarks = new Map()
  /** Undefined until the node has been asked. */
  #canTrace: boolean | undefined

  constructor(network: Network, url: string, rpc: Rpc) {
    this.network = network.name
    this.#chainId = network.chainId
    this.#url = url
    this.#rpc = rpc
  }

  /** Until the node has been asked it is not believed to trace. */
  get traits(): ChainTraits {
    return { family: 'evm', seesInternalTransfers: this.#canTrace ?? false }
  }

  async checkIdentity(signal: AbortSignal): Promise<void> {
    const [id, probe] = await this.#rpc.ask([call('eth_chainId'), call('trace_block', 'latest')], signal)
    const chainId = countOf(resultOf(id, 'eth_chainId'), 'chain id')
    if (chainId !== this.#chainId) {
      throw new WrongChainError(
        `node ${this.#rpc.node} is of chain ${chainId}; ${this.network} is chain ${this.#chainId}`,
      )
    }
    this.#canTrace = !isUnknownMethod(probe)
    if (this.#canTrace) resultOf(probe, 'trace_block')
  }

  async readHead(signal: AbortSignal): Promise<BlockRef> {
    const header = await this.#readHeaderAt('latest', signal)
    if (header === undefined) throw new NodeError(`node ${this.#rpc.node} has no latest block`)
    return header.block
  }

  async readFinalHeight(signal: AbortSignal): Promise<number | undefined> {
    const [answer] = await this.#ask([call('eth_getBlockByNumber', 'finalized', false)], signal)
    // A node that knows no such tag, or nothing final yet, refuses or answers null.
    return answer?.refusal === undefined ? readHeader(answer?.result)?.block.height : undefined
  }

  async readHeader(height: number, signal: AbortSignal): Promise<BlockRef | undefined> {
    return sameHeight(await this.#readHeaderAt(quantity(height), signal), height)?.block
  }

  async readBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#tracing(signal))
          ? await this.#readTracedBlock(height, signal)
          : await this.#readReceiptedBlock(height, signal)
      } catch (error) {
        // With a cause it is the node that is away, and asking it again at once is of no use.
        if (!(error instanceof NodeError) || error.cause !== undefined || tries === blockTries) throw error
      }
    }
  }

  async findFailed(
    block: BlockRef,
    txHashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const calls = txHashes.map((txHash) => call('eth_getTransactionReceipt', txHash))
    const answers = await this.#askInChunks(calls, signal)
    const failed = txHashes.filter((txHash, index) => {
      const receipt = readReceipt(resultOf(answers[index], 'eth_getTransactionReceipt'))
      if (receipt === undefined) throw new NodeError(`node ${this.#rpc.node} has no receipt of ${txHash}`)
      if (receipt.txHash !== txHash)
        throw new NodeError(`node ${this.#rpc.node} gave the receipt of another transaction`)
      return !receipt.succeeded || receipt.blockHash !== block.hash
    })
    return new Set(failed)
  }

  async readBalances(
    asset: TransferAsset,
    addresses: readonly string[],
    height: number,
    signal: AbortSignal,
  ): Promise<readonly bigint[]> {
    const at = quantity(height)
    const calls = addresses.map((address) =>
      asset.type === 'coin'
        ? call('eth_getBalance', address, at)
        : call('eth_call', { to: asset.contract, data: balanceOfCall(address) }, at),
    )
    const answers = await this.#askInChunks(calls, signal)
    return answers.map((answer) => {
      const result = resultOf(answer, 'reading a balance')
      return asset.type === 'coin' ? amountOf(result, 'balance') : BigInt(hashOf(result, 'token balance'))
    })
  }

  watchHeads(onHead: () => void, signal: AbortSignal): void {
    watchHeads(this.#url, onHead, signal)
  }

  close(): Promise<void> {
    return this.#rpc.close()
  }

  async #readHeaderAt(tag: string, signal: AbortSignal): Promise<Header | undefined> {
    const [answer] = await this.#ask([call('eth_getBlockByNumber', tag, false)], signal)
    return readHeader(resultOf(answer, 'eth_getBlockByNumber'))
  }

  async #readTracedBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined> {
    const at = quantity(height)
    const [headerAnswer, logsAnswer, tracesAnswer] = await this.#ask(
      [
        call('eth_getBlockByNumber', at, false),
        call('eth_getLogs', { fromBlock: at, toBlock: at }),
        call('trace_block', at),
      ],
      signal,
    )
    const header = sameHeight(readHeader(resultOf(headerAnswer, 'eth_getBlockByNumber')), height)
    if (header === undefined) return undefined
    if (header.txHashes.length === 0) return emptyBlock(header)
    const logs = readLogs(resultOf(logsAnswer, 'eth_getLogs'), header.block.hash)
    const traces = readTraces(resultOf(tracesAnswer, 'trace_block'), header.block.hash)
    return factsOf(header, logs, coinTransfers(header.txHashes, traces), this.#marks)
  }

  /** Where a node cannot trace: transactions in full and their receipts tell what moved at their top. */
  async #readReceiptedBlock(height: number, signal: AbortSignal): Promise<BlockFacts | undefined> {
    const at = quantity(height)
    const [blockAnswer, receiptsAnswer] = await this.#ask(
      [call('eth_getBlockByNumber', at, true), call('eth_getBlockReceipts', at)],
      signal,
    )
    const full = resultOf(blockAnswer, 'eth_getBlockByNumber')
    const header = sameHeight(readHeader(full), height)
    if (header === undefined) return undefined
    if (header.txHashes.length === 0) return emptyBlock(header)
    const receipts = receiptsOf(header, resultOf(receiptsAnswer, 'eth_getBlockReceipts'))
    const logs = receipts.flatMap((receipt) => arrayOf(receipt.logs, 'logs'))
    return factsOf(
      header,
      readLogs(logs, header.block.hash),
      topTransfers(field(full, 'transactions'), receipts),
      this.#marks,
    )
  }

  /** No node is asked anything before it has shown to be of the right chain. */
  async #ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> {
    await this.#tracing(signal)
    return this.#rpc.ask(calls, signal)
  }

  async #tracing(signal: AbortSignal): Promise<boolean> {
    if (this.#canTrace === undefined) await this.checkIdentity(signal)
    return this.#canTrace === true
  }

  async #askInChunks(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> {
    const answers: RpcAnswer[] = []
    for (let from = 0; from < calls.length; from += callsPerRequest) {
      answers.push(...(await this.#ask(calls.slice(from, from + callsPerRequest), signal)))
    }
    return answers
  }
}

/** Refuses logs that do not make the bloom the header states: the node has left some out, or made some up. */
function factsOf(
  header: Header,
  logs: readonly Log[],
  coin: readonly Transfer[],
  marks: BloomMarks,
): BlockFacts {
  const { block, txHashes, logsBloom } = header
  if (bloomOf(logs, marks) !== logsBloom)
    throw new NodeError(`the logs of block ${block.hash} do not make its bloom`)
  const known = new Set(txHashes)
  const stray = [...logs, ...coin].find(({ txHash }) => !known.has(txHash))
  if (stray !== undefined)
    throw new NodeError(`block ${block.hash} does not hold transaction ${stray.txHash}`)
  return { block, transfers: orderTransfers(txHashes, coin, tokenTransfers(logs)) }
}

function emptyBlock({ block, logsBloom }: Header): BlockFacts {
  if (logsBloom !== bloomOf([])) throw new NodeError(`block ${block.hash} has logs but no transactions`)
  return { block, transfers: [] }
}

/** One receipt per transaction, in the block's order. */
function receiptsOf(header: Header, value: unknown): readonly Receipt[] {
  const receipts = arrayOf(value, 'receipts').map(readReceipt)
  return header.txHashes.map((txHash, index) => {
    const receipt = receipts[index]
    if (receipt?.txHash === txHash && receipt.blockHash === header.block.hash) return receipt
    throw new NodeError(`the receipts do not fit block ${header.block.hash}`)
  })
}

function topTransfers(transactions: unknown, receipts: readonly Receipt[]): Transfer[] {
  const txs = arrayOf(transactions, 'transactions')
  const succeeded = receipts.flatMap((receipt, index) =>
    receipt.succeeded ? [{ receipt, tx: txs[index] }] : [],
  )
  const transfers = succeeded.map(({ receipt, tx }) =>
    coinTransfer(receipt.txHash, '', readTopMove(tx, receipt)),
  )
  return transfers.filter(({ amountMinor }) => amountMinor > 0n)
}

function sameHeight(header: Header | undefined, height: number): Header | undefined {
  if (header === undefined || header.block.height === height) return header
  throw new NodeError(`the node gave block ${header.block.height} for ${height}`)
}

/** -32601 is JSON-RPC's "method not found", -32004 EIP-1474's "method not supported". */
function isUnknownMethod(answer: RpcAnswer | undefined): boolean {
  const code = answer?.refusal?.code
  return code === -32601 || code === -32004
}

function call(method: string, ...params: readonly unknown[]): RpcCall {
  return { method, params }
}

function quantity(count: number): string {
  return `0x${count.toString(16)}`
}

/** balanceOf(address), EIP-20. */
function balanceOfCall(address: string): string {
  return `0x70a08231${address.slice(2).padStart(64, '0')}`
}
