/**
 * What an EVM node answers, checked for shape before anything relies on it. A malformed answer is a NodeError, never
 * a TypeError further on. Hashes and addresses come out in lower case. (Ethereum execution API specification;
 * `trace_block` as OpenEthereum defined it.)
 */
import { type BlockRef, NodeError } from '../port.ts'
import { field } from './rpc.ts'

export interface Header {
  readonly block: BlockRef
  readonly logsBloom: string
  readonly txHashes: readonly string[]
}

export interface Log {
  readonly txHash: string
  readonly address: string
  readonly topics: readonly string[]
  readonly payload: string
}

/** A step of a transaction that may move the coin. */
export interface Trace {
  readonly txHash: string
  /** Where the step stands in the transaction's tree of calls; empty for the transaction itself. */
  readonly place: readonly number[]
  readonly failed: boolean
  readonly move: CoinMove | undefined
}

export interface CoinMove {
  readonly sender: string
  readonly recipient: string
  readonly amountMinor: bigint
}

export interface Receipt {
  readonly txHash: string
  readonly blockHash: string
  readonly succeeded: boolean
  readonly logs: unknown
}

/** Reads a block without its transactions' bodies; undefined for null, by which a node says "no such block". */
export function readHeader(value: unknown): Header | undefined {
  if (value === null || value === undefined) return undefined
  const txs = arrayOf(field(value, 'transactions'), 'transactions')
  const block = {
    height: countOf(field(value, 'number'), 'block number'),
    hash: hashOf(field(value, 'hash'), 'block hash'),
    parentHash: hashOf(field(value, 'parentHash'), 'parent hash'),
    minedAt: new Date(countOf(field(value, 'timestamp'), 'timestamp') * 1000),
  }
  const txHashes = txs.map((tx) =>
    hashOf(typeof tx === 'string' ? tx : field(tx, 'hash'), 'transaction hash'),
  )
  return { block, txHashes, logsBloom: matching(field(value, 'logsBloom'), bloomPattern, 'logs bloom') }
}

/** Reads all logs of a block. They must be of that block, and numbered from 0 without a gap. */
export function readLogs(value: unknown, blockHash: string): Log[] {
  return arrayOf(value, 'logs').map((item, index) => {
    checkBlock(item, blockHash, 'a log')
    if (countOf(field(item, 'logIndex'), 'log index') !== index)
      throw new NodeError('logs are missing or out of order')
    return {
      txHash: hashOf(field(item, 'transactionHash'), 'transaction hash of a log'),
      address: addressOf(field(item, 'address'), 'address of a log'),
      topics: arrayOf(field(item, 'topics'), 'topics').map((topic) => hashOf(topic, 'topic')),
      payload: matching(field(item, 'data'), bytesPattern, 'payload of a log'),
    }
  })
}

/** Reads `trace_block`. Rewards stand outside transactions and are left out. */
export function readTraces(value: unknown, blockHash: string): Trace[] {
  const items = arrayOf(value, 'traces').filter((item) => (field(item, 'transactionHash') ?? null) !== null)
  return items.map((item) => {
    checkBlock(item, blockHash, 'a trace')
    const failed = (field(item, 'error') ?? null) !== null
    return {
      txHash: hashOf(field(item, 'transactionHash'), 'transaction hash of a trace'),
      place: arrayOf(field(item, 'traceAddress'), 'trace address').map(smallNumberOf),
      failed,
      move: failed ? undefined : moveOf(item),
    }
  })
}

/** Reads the receipt of a transaction; undefined for null, by which a node says "not mined". */
export function readReceipt(value: unknown): Receipt | undefined {
  if (value === null || value === undefined) return undefined
  return {
    txHash: hashOf(field(value, 'transactionHash'), 'transaction hash of a receipt'),
    blockHash: hashOf(field(value, 'blockHash'), 'block hash of a receipt'),
    succeeded: field(value, 'status') === '0x1',
    logs: field(value, 'logs'),
  }
}

/** A part of another block than the one asked about: the chain changed in between. */
function checkBlock(item: unknown, blockHash: string, what: string): void {
  const stated = field(item, 'blockHash')
  if (stated === blockHash || hashOf(stated, `block hash of ${what}`) === blockHash) return
  throw new NodeError(`${what} belongs to another block`)
}

/** A step of a kind that is not known might move the coin, so it is refused and not passed over. */
function moveOf(trace: unknown): CoinMove | undefined {
  const action = field(trace, 'action')
  const type = field(trace, 'type')
  switch (type) {
    case 'call':
      return movesValue(field(action, 'callType')) ? callMove(action) : undefined
    case 'create':
      return createMove(action, field(trace, 'result'))
    case 'suicide':
    case 'selfdestruct':
      return endMove(action)
    default:
      throw new NodeError(`a trace is of the unknown type ${JSON.stringify(type)}`)
  }
}

/** delegatecall and callcode carry a value that stays where it is, staticcall carries none. */
function movesValue(callType: unknown): boolean {
  if (callType === 'call') return true
  if (callType === 'delegatecall' || callType === 'callcode' || callType === 'staticcall') return false
  throw new NodeError(`a call is of the unknown type ${JSON.stringify(callType)}`)
}

function callMove(action: unknown): CoinMove | undefined {
  const amountMinor = amountOf(field(action, 'value'), 'value of a call')
  if (amountMinor === 0n) return undefined
  const sender = addressOf(field(action, 'from'), 'sender of a call')
  return { sender, recipient: addressOf(field(action, 'to'), 'recipient of a call'), amountMinor }
}

function createMove(action: unknown, result: unknown): CoinMove | undefined {
  const amountMinor = amountOf(field(action, 'value'), 'value of a creation')
  if (amountMinor === 0n) return undefined
  const sender = addressOf(field(action, 'from'), 'creator')
  return { sender, recipient: addressOf(field(result, 'address'), 'created address'), amountMinor }
}

/** An account that ends in its own favour keeps or burns its coins (EIP-6780): nobody receives anything. */
function endMove(action: unknown): CoinMove | undefined {
  const amountMinor = amountOf(field(action, 'balance'), 'balance of an ended contract')
  const sender = addressOf(field(action, 'address'), 'ended contract')
  const recipient = addressOf(field(action, 'refundAddress'), 'heir of an ended contract')
  return amountMinor === 0n || sender === recipient ? undefined : { sender, recipient, amountMinor }
}

const hashPattern = /^0x[0-9a-f]{64}$/
const addressPattern = /^0x[0-9a-f]{40}$/
const bloomPattern = /^0x[0-9a-f]{512}$/
const bytesPattern = /^0x(?:[0-9a-f]{2})*$/
const quantityPattern = /^0x[0-9a-f]{1,64}$/
const smallQuantityPattern = /^0x[0-9a-f]{1,13}$/

export function hashOf(value: unknown, what: string): string {
  return matching(value, hashPattern, what)
}

/** A count that a JS number holds exactly: heights, indexes, seconds. */
export function countOf(value: unknown, what: string): number {
  return Number(matching(value, smallQuantityPattern, what))
}

export function amountOf(value: unknown, what: string): bigint {
  return BigInt(matching(value, quantityPattern, what))
}

export function arrayOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new NodeError(`the node's ${what} are not a list`)
}

function addressOf(value: unknown, what: string): string {
  return matching(value, addressPattern, what)
}

function smallNumberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new NodeError("a trace's place is not a number")
}

function matching(value: unknown, pattern: RegExp, what: string): string {
  if (typeof value === 'string') {
    if (pattern.test(value)) return value
    const lower = value.toLowerCase()
    if (pattern.test(lower)) return lower
  }
  throw new NodeError(`the node's ${what} is malformed`)
}
