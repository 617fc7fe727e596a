/**
 * Reads a block of an EVM chain with all its transfers. One request contains three calls for a height: the
 * header, all logs and all call traces. If the traces of a block took too long before, they are requested
 * separately and with a longer timeout. An incomplete answer is rejected: the hashes must agree, the logs
 * must give exactly the header's bloom filter, and every transaction must have a trace, unless its type needs
 * none. If the node may be trusted alone, everything except the traces is also proven against the block's hash (`block-proof.ts`).
 */
import { linkSignal } from '../../core/concurrency/linked-signal.ts'
import {
  call,
  field,
  fieldsOf,
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
import { requireProven, requireProvenTransfers } from './encoding/block-proof.ts'
import { type BloomBits, bloomOf } from './encoding/bloom.ts'
import { mayBeUntraced, transactionType } from './encoding/transaction-types.ts'
import { TracePatience } from './trace-patience.ts'
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

export function blockReader({ rpc, timeoutMs, provesBlocks }: BlockReading): ReadBlock {
  const window = new ReadWindow(blocksAtOnce)
  const patience = new TracePatience(timeoutMs)
  const reading: Reading = { rpc, timeoutMs, provesBlocks, window, patience, bloomBits: new Map() }
  return (height, signal) => window.within(() => readAgreeing(reading, height, signal), signal)
}

interface Reading extends BlockReading {
  readonly window: ReadWindow
  readonly patience: TracePatience
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
  const { answers, sizeBytes } = await askBlock(reading, height, signal)
  reading.window.sawAnswer(sizeBytes)
  const [headerAnswer, logsAnswer, tracesAnswer] = answers
  const reported = resultOf(headerAnswer, 'eth_getBlockByNumber')
  const header = sameHeight(readHeader(reported), height)
  if (header === undefined) return undefined
  if (reading.provesBlocks) {
    const receipts = resultOf(logsAnswer, 'eth_getBlockReceipts')
    const whole = await withRawBytes(reading, reported, signal)
    return provenFacts(reading, header, { reported: whole, receipts, tracesAnswer })
  }
  if (header.txHashes.size === 0) return emptyBlock(header)
  const logs = readLogs(await logsOf(reading, header, logsAnswer, signal), header, reading.bloomBits)
  const traces = readTraces(resultOf(tracesAnswer, 'trace_block'), header)
  await requireNoTraceNeeded(reading, header, untracedHashes(header, traces), signal)
  return factsOf(header, logs, traces, reading.bloomBits)
}

/**
 * Adds to a block the encoded bytes of each transaction whose type cannot be encoded from the reported fields.
 */
async function withRawBytes(
  { rpc, timeoutMs }: Reading,
  reported: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const block = fieldsOf(reported)
  const transactions = arrayOf(block['transactions'], 'transactions')
  const indexes = [...transactions.keys()].filter(
    (index) => transactionType(field(transactions[index], 'type')).items === undefined,
  )
  if (indexes.length === 0) return reported
  const method = 'eth_getRawTransactionByBlockHashAndIndex'
  const calls = indexes.map((index) => call(method, block['hash'], quantity(index)))
  const { answers } = await rpc.ask(calls, signal, timeoutMs)
  const raw = new Map(indexes.map((index, position) => [index, resultOf(answers[position], method)]))
  return {
    ...block,
    transactions: transactions.map((transaction, index) =>
      raw.has(index) ? { ...fieldsOf(transaction), raw: raw.get(index) } : transaction,
    ),
  }
}

function untracedHashes({ txHashes }: Header, traces: readonly Trace[]): ReadonlySet<string> {
  const untraced = new Set(txHashes)
  for (const { txHash } of traces) untraced.delete(txHash)
  return untraced
}

/**
 * Checks that the transactions which the node did not trace are of types that need no trace. A missing trace
 * may otherwise hide a transfer.
 * @throws NodeError if a transaction needs a trace
 */
async function requireNoTraceNeeded(
  { rpc, timeoutMs }: Reading,
  { block }: Header,
  untraced: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  if (untraced.size === 0) return
  const calls = [...untraced].flatMap((txHash) => [
    call('eth_getTransactionByHash', txHash),
    call('eth_getTransactionReceipt', txHash),
  ])
  const { answers } = await rpc.ask(calls, signal, timeoutMs)
  for (const [index, txHash] of [...untraced].entries()) {
    const type = field(resultOf(answers[2 * index], 'eth_getTransactionByHash'), 'type')
    const receipt = readReceipt(resultOf(answers[2 * index + 1], 'eth_getTransactionReceipt'))
    if (receipt?.blockHash !== block.hash || !mayBeUntraced(type, receipt.succeeded))
      throw new NodeError(`transaction ${txHash} has no trace`)
  }
}

interface ProvenAnswers {
  /** The block with whole transactions, not only their hashes. */
  readonly reported: unknown
  readonly receipts: unknown
  readonly tracesAnswer: RpcAnswer | undefined
}

function provenFacts(
  { bloomBits }: Reading,
  header: Header,
  { reported, receipts, tracesAnswer }: ProvenAnswers,
): BlockFacts {
  requireProven(header, reported, receipts)
  if (header.txHashes.size === 0) return emptyBlock(header)
  const traces = readTraces(resultOf(tracesAnswer, 'trace_block'), header)
  requireProvenTransfers(reported, receipts, traces)
  return factsOf(header, readLogs(receiptLogs(header, receipts), header, bloomBits), traces, bloomBits)
}

/**
 * Requests a block with its call traces. One request for everything reads a small block twice as fast as two
 * requests. The traces are therefore requested separately only if an earlier request that included the traces of
 * this block exceeded its timeout.
 */
async function askBlock(reading: Reading, height: number, signal: AbortSignal): Promise<RpcReply> {
  const { rpc, timeoutMs, patience, provesBlocks } = reading
  const at = quantity(height)
  // A block is proven with its receipts. They contain its logs and all other data from which the receipts
  // root is computed. Without a proof, the logs suffice.
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
 * results"). In that case the logs are read from the receipts, which have no such limit. All logs must match
 * the header's bloom filter, also those from receipts.
 */
async function logsOf(
  { rpc, timeoutMs, window }: Reading,
  header: Header,
  answer: RpcAnswer | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (answer?.error === undefined) return answer?.result
  const calls = [call('eth_getBlockReceipts', quantity(header.block.height))]
  const { answers, sizeBytes } = await rpc.ask(calls, signal, timeoutMs)
  window.sawAnswer(sizeBytes)
  const [receipts] = answers
  // If the node returns no receipts either, its error about the logs is thrown, which is more helpful.
  if (receipts === undefined || receipts.error !== undefined) return resultOf(answer, 'eth_getLogs')
  return receiptLogs(header, receipts.result)
}

/**
 * Returns the logs of the receipts. The receipts root does not cover the transaction hash that a log states.
 * Only the position of the log's receipt in the block proves that hash. A log with another transaction's hash
 * is rejected, because its transfer would have another key and would be booked a second time.
 */
function receiptLogs(header: Header, receipts: unknown): readonly unknown[] {
  return receiptsOf(header, receipts).flatMap(({ txHash, logs }) =>
    arrayOf(logs, 'logs').map((log) => {
      if (hashOf(field(log, 'transactionHash'), 'transaction hash of a log') === txHash) return log
      throw new NodeError(`the receipt of ${txHash} has a log that names another transaction`)
    }),
  )
}

/** Returns one receipt for each transaction, in the block's order. */
function receiptsOf(header: Header, value: unknown): readonly Receipt[] {
  const receipts = arrayOf(value, 'receipts').map(readReceipt)
  return [...header.txHashes].map((txHash, index) => {
    const receipt = receipts[index]
    if (receipt?.txHash === txHash && receipt.blockHash === header.block.hash) return receipt
    throw new NodeError(`the receipts do not match block ${header.block.hash}`)
  })
}

/**
 * Returns the block with its transfers. Throws if the logs do not give the header's bloom filter, because the
 * node has then omitted or invented logs. The caller has checked that transactions without a trace need none.
 */
function factsOf(
  header: Header,
  logs: readonly Log[],
  traces: readonly Trace[],
  bloomBits: BloomBits,
): BlockFacts {
  const { block, txHashes, logsBloom } = header
  if (bloomOf(logs, bloomBits) !== logsBloom)
    throw new NodeError(`the logs of block ${block.hash} do not match its bloom filter`)
  const traced = new Set(traces.map(({ txHash }) => txHash))
  const transfers = orderTransfers(txHashes, coinTransfers(traced, traces), tokenTransfers(logs))
  return { block, transfers: withOrigins(transfers, traces) }
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
