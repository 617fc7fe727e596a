/**
 * Reads a block of an EVM chain with all that moved in it. Three calls tell it: header, all its logs, all its call
 * traces, by height and in one request. Where the traces were late once they go out beside the others, with more time.
 * The hashes must agree, the logs must make exactly the bloom that the header states, and every transaction must have
 * its trace, so that an answer that leaves something out is refused. Where the node may be believed alone, all but the traces is
 * bound to the block's hash as well (block-proof.ts).
 */
import { linkSignal } from '../../core/concurrency/linked-signal.ts'
import {
  call,
  field,
  quantity,
  type Rpc,
  type RpcAnswer,
  type RpcReply,
  resultOf,
  SlowNodeError,
} from '../json-rpc.ts'
import { type BlockFacts, isBadAnswer, NodeError } from '../port.ts'
import { ReadWindow } from '../read-window.ts'
import {
  arrayOf,
  type Header,
  hashOf,
  type Log,
  type Receipt,
  readHeader,
  readLogs,
  readReceipt,
  readTraces,
  type Trace,
} from './answers.ts'
import { requireProven, requireToldMoves } from './encoding/block-proof.ts'
import { type BloomMarks, bloomOf } from './encoding/bloom.ts'
import { TracePatience } from './trace-patience.ts'
import { coinTransfers, orderTransfers, tokenTransfers, withOrigins } from './transfers.ts'

/** How often a block is read anew when its parts do not agree: a block may be replaced between two calls. */
const blockTries = 3
const blocksAtOnce = 16

export type ReadBlock = (height: number, signal: AbortSignal) => Promise<BlockFacts | undefined>

/** How blocks are read through one node. */
export interface BlockReading {
  readonly rpc: Rpc
  /** An answer may take so long, traces longer once they did. */
  readonly timeoutMs: number
  /** Whether everything but traces must be bound to the block's hash, as where the node may be believed alone. */
  readonly provesBlocks: boolean
}

export function blockReader({ rpc, timeoutMs, provesBlocks }: BlockReading): ReadBlock {
  const window = new ReadWindow(blocksAtOnce)
  const patience = new TracePatience(timeoutMs)
  const reading: Reading = { rpc, timeoutMs, provesBlocks, window, patience, marks: new Map() }
  return (height, signal) => window.within(() => readAgreeing(reading, height, signal), signal)
}

interface Reading extends BlockReading {
  readonly window: ReadWindow
  readonly patience: TracePatience
  readonly marks: BloomMarks
}

async function readAgreeing(
  reading: Reading,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readOnce(reading, height, signal)
    } catch (error) {
      // With a cause it is the node that is away, and asking it again at once is of no use.
      if (!isBadAnswer(error) || tries === blockTries) throw error
    }
  }
}

async function readOnce(
  reading: Reading,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  const { answers, sizeBytes } = await askBlock(reading, height, signal)
  reading.window.sawAnswer(sizeBytes)
  const [headerAnswer, logsAnswer, tracesAnswer] = answers
  const told = resultOf(headerAnswer, 'eth_getBlockByNumber')
  const header = sameHeight(readHeader(told), height)
  if (header === undefined) return undefined
  if (reading.provesBlocks) {
    const receipts = resultOf(logsAnswer, 'eth_getBlockReceipts')
    return provenFacts(reading, header, { told, receipts, tracesAnswer })
  }
  if (header.txHashes.size === 0) return emptyBlock(header)
  const logs = readLogs(await logsOf(reading, header, logsAnswer, signal), header, reading.marks)
  const traces = readTraces(resultOf(tracesAnswer, 'trace_block'), header)
  return factsOf(header, logs, traces, reading.marks)
}

interface ProvenAnswers {
  /** The block with its whole transactions. */
  readonly told: unknown
  readonly receipts: unknown
  readonly tracesAnswer: RpcAnswer | undefined
}

function provenFacts(
  { marks }: Reading,
  header: Header,
  { told, receipts, tracesAnswer }: ProvenAnswers,
): BlockFacts {
  requireProven(header, told, receipts)
  if (header.txHashes.size === 0) return emptyBlock(header)
  const traces = readTraces(resultOf(tracesAnswer, 'trace_block'), header)
  requireToldMoves(told, receipts, traces)
  return factsOf(header, readLogs(receiptLogs(header, receipts), header, marks), traces, marks)
}

/** One request reads small blocks twice as fast as two, so traces get their own only where they need it. */
async function askBlock(reading: Reading, height: number, signal: AbortSignal): Promise<RpcReply> {
  const { rpc, timeoutMs, patience, provesBlocks } = reading
  const at = quantity(height)
  // Receipts carry the logs with all that their root is made of.
  const headerAndLogs = [
    call('eth_getBlockByNumber', at, provesBlocks),
    provesBlocks ? call('eth_getBlockReceipts', at) : call('eth_getLogs', { fromBlock: at, toBlock: at }),
  ]
  const traces = call('trace_block', at)
  if (!patience.isTried(height))
    return askTraces(reading, height, (ms) => rpc.ask([...headerAndLogs, traces], signal, ms))
  const [parts, traced] = await both(
    (either) => rpc.ask(headerAndLogs, either, timeoutMs),
    (either) => askTraces(reading, height, (ms) => rpc.ask([traces], either, ms)),
    signal,
  )
  return {
    answers: [...parts.answers, ...traced.answers],
    sizeBytes: parts.sizeBytes + traced.sizeBytes,
  }
}

/** Gives the question the time there is for the block, and the block more the next time where that was too short. */
async function askTraces(
  { patience }: Reading,
  height: number,
  ask: (timeoutMs: number) => Promise<RpcReply>,
): Promise<RpcReply> {
  try {
    const reply = await ask(patience.timeoutMs(height))
    patience.wasEnough(height)
    return reply
  } catch (error) {
    if (error instanceof SlowNodeError) patience.wasExceeded(height)
    throw error
  }
}

/**
 * A hosted node may refuse to tell all logs of a block at once ("more than 10000 results"). Its receipts carry the
 * same logs and are not bounded; the header's bloom holds for these as well.
 */
async function logsOf(
  { rpc, timeoutMs, window }: Reading,
  header: Header,
  answer: RpcAnswer | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (answer?.refusal === undefined) return answer?.result
  const calls = [call('eth_getBlockReceipts', quantity(header.block.height))]
  const { answers, sizeBytes } = await rpc.ask(calls, signal, timeoutMs)
  window.sawAnswer(sizeBytes)
  const [receipts] = answers
  // Where the node has no receipts either, its first refusal says more.
  if (receipts === undefined || receipts.refusal !== undefined) return resultOf(answer, 'eth_getLogs')
  return receiptLogs(header, receipts.result)
}

/**
 * No root tells which transaction a log names: only its receipt, whose place in the block is its transaction's, does. A log that names
 * another one would be another transfer, and its payment would be booked a second time.
 */
function receiptLogs(header: Header, receipts: unknown): readonly unknown[] {
  return receiptsOf(header, receipts).flatMap(({ txHash, logs }) =>
    arrayOf(logs, 'logs').map((log) => {
      if (hashOf(field(log, 'transactionHash'), 'transaction hash of a log') === txHash) return log
      throw new NodeError(`the receipt of ${txHash} has a log that names another transaction`)
    }),
  )
}

/** One receipt per transaction, in the block's order. */
function receiptsOf(header: Header, value: unknown): readonly Receipt[] {
  const receipts = arrayOf(value, 'receipts').map(readReceipt)
  return [...header.txHashes].map((txHash, index) => {
    const receipt = receipts[index]
    if (receipt?.txHash === txHash && receipt.blockHash === header.block.hash) return receipt
    throw new NodeError(`the receipts do not fit block ${header.block.hash}`)
  })
}

/** Refuses logs that do not make the bloom the header states: the node has left some out, or made some up. */
function factsOf(
  header: Header,
  logs: readonly Log[],
  traces: readonly Trace[],
  marks: BloomMarks,
): BlockFacts {
  const { block, txHashes, logsBloom } = header
  if (bloomOf(logs, marks) !== logsBloom)
    throw new NodeError(`the logs of block ${block.hash} do not make its bloom`)
  const transfers = orderTransfers(txHashes, coinTransfers(txHashes, traces), tokenTransfers(logs))
  return { block, transfers: withOrigins(transfers, traces) }
}

function emptyBlock({ block, logsBloom }: Header): BlockFacts {
  if (logsBloom !== bloomOf([])) throw new NodeError(`block ${block.hash} has logs but no transactions`)
  return { block, transfers: [] }
}

export function sameHeight(header: Header | undefined, height: number): Header | undefined {
  if (header === undefined || header.block.height === height) return header
  throw new NodeError(`the node gave block ${header.block.height} for ${height}`)
}

/** Both, or neither: when one fails the other is given up, so that no heavy answer is waited for in vain. */
async function both<A, B>(
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
  signal: AbortSignal,
): Promise<[A, B]> {
  const stop = new AbortController()
  const either = linkSignal([signal, stop.signal])
  try {
    return await Promise.all([first(either.signal), second(either.signal)])
  } finally {
    stop.abort()
    either.release()
  }
}
