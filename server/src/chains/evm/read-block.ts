/**
 * Reads a block of an EVM chain with all its transfers. One request contains three calls for a height: the
 * header, all logs and all call traces. If the traces of a block took too long before, they are requested
 * separately and with a longer timeout. A node without `trace_block` is asked for the traces after the header,
 * because `debug_traceBlockByHash` needs the block's hash. A node without any traces is asked for the receipts
 * instead, which say whether each transaction paid. An incomplete answer is rejected: the hashes must agree, the
 * logs must give exactly the header's bloom filter, and every transaction must have a trace, unless its type
 * needs none. If the node may be trusted alone, everything except the traces is also proven against the block's
 * hash (`block-proof.ts`).
 */
import { linkSignal } from '../../core/concurrency/linked-signal.ts'
import {
  call,
  quantity,
  type Rpc,
  type RpcAnswer,
  type RpcReply,
  resultOf,
  SlowNodeError,
} from '../json-rpc.ts'
import { asBadAnswer, type BlockFacts, isBadAnswer, NodeError, type TracedBy } from '../port.ts'
import { ReadWindow } from '../read-window.ts'
import { requireNoTraceNeeded, withRawBytes } from './added-transactions.ts'
import { type Header, type Log, readHeader, readLogs, type Trace } from './answers.ts'
import { BlockReceipts, receiptLogs } from './block-receipts.ts'
import { requireProven, requireProvenTransfers } from './encoding/block-proof.ts'
import { type BloomBits, bloomOf } from './encoding/bloom.ts'
import { plainTraces } from './tracing/plain-traces.ts'
import { TracePatience } from './tracing/trace-patience.ts'
import { type TraceMethod, type Tracing, traceCall } from './tracing/tracing.ts'
import { coinTransfers, orderTransfers, tokenTransfers, withOrigins } from './transfers.ts'

/**
 * Maximum number of attempts to read a block. The parts of a block may not agree, because the chain can
 * change between two calls.
 */
const blockTries = 3
const blocksAtOnce = 16

export type ReadBlock = (height: number, signal: AbortSignal) => Promise<BlockFacts | undefined>

/** The settings for reading blocks through one node. */
export interface BlockReading {
  readonly rpc: Rpc
  readonly tracing: Tracing
  /**
   * The timeout of an answer. If the traces of a block exceed their timeout, the next timeout for this block
   * is longer.
   */
  readonly timeoutMs: number
  /**
   * Whether everything except the traces must be proven against the block's hash. Must be true if the node
   * may be trusted alone.
   */
  readonly provesBlocks: boolean
}

export function blockReader(options: BlockReading): ReadBlock {
  const { rpc, timeoutMs } = options
  const window = new ReadWindow(blocksAtOnce)
  const patience = new TracePatience(timeoutMs)
  const receipts = new BlockReceipts(rpc, timeoutMs, window)
  const reading: Reading = { ...options, window, patience, receipts, bloomBits: new Map() }
  return (height, signal) => window.within(() => readAgreeing(reading, height, signal), signal)
}

interface Reading extends BlockReading {
  readonly window: ReadWindow
  readonly patience: TracePatience
  readonly receipts: BlockReceipts
  readonly bloomBits: BloomBits
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
      // An error with a cause means that the node is unreachable, so an immediate retry is of no use.
      if (!isBadAnswer(error) || tries === blockTries) throw error
    }
  }
}

async function readOnce(
  reading: Reading,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  const method = await reading.tracing.method(signal)
  const answers = await askBlock(reading, method, height, signal)
  const reported = resultOf(answers.header, 'eth_getBlockByNumber')
  const header = sameHeight(readHeader(reported), height)
  if (header === undefined) return undefined
  if (reading.provesBlocks) return provenFacts(reading, method, { header, reported, answers }, signal)
  if (header.txHashes.size === 0) return emptyBlock(header)
  if (method === 'none') return plainFacts(reading, { header, reported, answers }, signal)
  const logs = readLogs(await logsOf(reading, header, answers.logs, signal), header, reading.bloomBits)
  const traces = await tracesOf(reading, method, { header, answers }, signal)
  await requireNoTraceNeeded(reading, header, traces, signal)
  return factsOf(header, logs, { traces, tracedBy: method }, reading.bloomBits)
}

/** A block as the node reported it, before its logs and traces are parsed. */
interface ReportedBlock {
  readonly header: Header
  /** The block with whole transactions, not only their hashes. */
  readonly reported: unknown
  readonly answers: BlockAnswers
}

/** Returns a block as its transactions and receipts show it, for a node without traces. */
async function plainFacts(
  { receipts: blockReceipts, bloomBits }: Reading,
  { header, reported, answers }: ReportedBlock,
  signal: AbortSignal,
): Promise<BlockFacts> {
  const receipts = await blockReceipts.complete(header, answers.logs, signal)
  const logs = readLogs(receiptLogs(header, receipts), header, bloomBits)
  const traces = plainTraces(header, reported, receipts)
  return factsOf(header, logs, { traces, tracedBy: 'none' }, bloomBits)
}

async function provenFacts(
  reading: Reading,
  method: TracedBy,
  block: ReportedBlock,
  signal: AbortSignal,
): Promise<BlockFacts> {
  const { header, answers } = block
  const receipts = await reading.receipts.complete(header, answers.logs, signal)
  const reported = await withRawBytes(reading, block.reported, signal)
  requireProven(header, reported, receipts)
  if (header.txHashes.size === 0) return emptyBlock(header)
  const traces =
    method === 'none'
      ? plainTraces(header, block.reported, receipts)
      : await tracesOf(reading, method, block, signal)
  requireProvenTransfers(reported, receipts, traces)
  const logs = readLogs(receiptLogs(header, receipts), header, reading.bloomBits)
  return factsOf(header, logs, { traces, tracedBy: method }, reading.bloomBits)
}

/** Returns the traces of a block. Requests them if they are not among the answers. */
async function tracesOf(
  reading: Reading,
  method: TraceMethod,
  { header, answers }: Pick<ReportedBlock, 'header' | 'answers'>,
  signal: AbortSignal,
): Promise<readonly Trace[]> {
  const { rpc, tracing, window } = reading
  if (method === 'trace_block') return tracing.read(method, answers.traces, header)
  const asked = traceCall(method, header.block)
  const reply = await askTraces(reading, header.block.height, (ms) => rpc.ask([asked], signal, ms))
  window.sawAnswer(reply.sizeBytes)
  return tracing.read(method, reply.answers[0], header)
}

/** The answers about a block. An answer is undefined if it was not requested. */
interface BlockAnswers {
  readonly header: RpcAnswer | undefined
  /** The answer about all logs. If blocks are proven or not traced, the answer about all receipts. */
  readonly logs: RpcAnswer | undefined
  readonly traces: RpcAnswer | undefined
}

/**
 * Requests a block, with its call traces if the node has `trace_block`. One request for everything reads a small
 * block twice as fast as two requests. The traces are therefore requested separately only if an earlier request
 * that included the traces of this block exceeded its timeout.
 */
async function askBlock(
  reading: Reading,
  method: TracedBy,
  height: number,
  signal: AbortSignal,
): Promise<BlockAnswers> {
  const { rpc, timeoutMs, patience, provesBlocks, receipts, window } = reading
  const at = quantity(height)
  // A block is proven with its receipts. They contain its logs and all other data from which the receipts
  // root is computed. Without a proof, the logs suffice.
  const needsReceipts = provesBlocks || method === 'none'
  const logs = needsReceipts ? receipts.callFor(height) : call('eth_getLogs', { fromBlock: at, toBlock: at })
  const headerAndLogs = [
    call('eth_getBlockByNumber', at, needsReceipts),
    ...(logs === undefined ? [] : [logs]),
  ]
  const sorted = ({ answers, sizeBytes }: RpcReply, traces: RpcAnswer | undefined): BlockAnswers => {
    window.sawAnswer(sizeBytes)
    return { header: answers[0], logs: logs === undefined ? undefined : answers[1], traces }
  }
  if (method !== 'trace_block') return sorted(await rpc.ask(headerAndLogs, signal, timeoutMs), undefined)
  const traces = call(method, at)
  if (!patience.isTried(height)) {
    const ask = (ms: number) => rpc.ask([...headerAndLogs, traces], signal, ms)
    const reply = await askTraces(reading, height, ask)
    return sorted(reply, reply.answers.at(-1))
  }
  const [parts, traced] = await both(
    (either) => rpc.ask(headerAndLogs, either, timeoutMs),
    (either) => askTraces(reading, height, (ms) => rpc.ask([traces], either, ms)),
    signal,
  )
  return sorted({ ...parts, sizeBytes: parts.sizeBytes + traced.sizeBytes }, traced.answers[0])
}

/**
 * Requests the traces of a block with the current timeout for this block, and records whether the timeout
 * sufficed. If it was too short, the next timeout for this block is longer.
 */
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
 * Returns the logs of a block. A hosted node may refuse to return all logs at once ("more than 10000
 * results"), or refuse the method. In that case the logs are read from the receipts, which have no such limit.
 * All logs must match the header's bloom filter, also those from receipts.
 */
async function logsOf(
  { receipts }: Reading,
  header: Header,
  answer: RpcAnswer | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (answer?.error === undefined) return answer?.result
  const { message, code } = answer.error
  const reported = await receipts.ask(header, signal).catch((error: unknown) => {
    // The error about the logs is the more helpful one.
    throw new NodeError(`eth_getLogs failed: ${message} (${code}); ${asBadAnswer(error).message}`)
  })
  return receiptLogs(header, reported)
}

/**
 * Returns the block with its transfers. Throws if the logs do not give the header's bloom filter, because the
 * node has then omitted or invented logs.
 */
function factsOf(
  header: Header,
  logs: readonly Log[],
  { traces, tracedBy }: { readonly traces: readonly Trace[]; readonly tracedBy: TracedBy },
  bloomBits: BloomBits,
): BlockFacts {
  const { block, txHashes, logsBloom } = header
  if (bloomOf(logs, bloomBits) !== logsBloom)
    throw new NodeError(`the logs of block ${block.hash} do not match its bloom filter`)
  const traced = new Set(traces.map(({ txHash }) => txHash))
  const transfers = orderTransfers(txHashes, coinTransfers(traced, traces), tokenTransfers(logs))
  return { block, transfers: withOrigins(transfers, traces), txHashes: [...txHashes], tracedBy }
}

function emptyBlock({ block, logsBloom }: Header): BlockFacts {
  if (logsBloom !== bloomOf([])) throw new NodeError(`block ${block.hash} has logs but no transactions`)
  return { block, transfers: [] }
}

export function sameHeight(header: Header | undefined, height: number): Header | undefined {
  if (header === undefined || header.block.height === height) return header
  throw new NodeError(`the node returned block ${header.block.height} for ${height}`)
}

/** Runs two requests in parallel. If one fails, aborts the other, because its answer is no longer needed. */
async function both<A, B>(
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
  signal: AbortSignal,
): Promise<[A, B]> {
  const either = linkSignal([signal])
  try {
    return await Promise.all([first(either.signal), second(either.signal)])
  } finally {
    either.end()
  }
}
