/**
 * Parses the answers of an EVM node and checks their form before they are used. A malformed answer throws
 * NodeError during parsing, so that it never causes a TypeError later. Hashes and addresses are returned in
 * lower case. The formats follow the Ethereum execution API specification; `trace_block` follows OpenEthereum.
 */

import { type Fields, field, fieldsOf } from '../json-rpc.ts'
import { type BlockRef, NodeError, type TransactionReceipt } from '../port.ts'

export interface Header {
  readonly block: BlockRef
  readonly logsBloom: string
  /** The hashes of the block's transactions, without duplicates and in the block's order. */
  readonly txHashes: ReadonlySet<string>
}

export interface Log {
  readonly txHash: string
  readonly address: string
  readonly topics: readonly string[]
  readonly payload: string
}

/** The parts of a block that decide whether a log or a call trace belongs to the block. */
export type BlockParts = { readonly block: Pick<BlockRef, 'hash'> } & Pick<Header, 'txHashes'>

export type KnownWords = Pick<ReadonlySet<string>, 'has'>

/** One entry of a transaction's call trace: a call, a contract creation or a self-destruction. */
export interface Trace {
  readonly txHash: string
  /** The path of the entry in the transaction's call tree; empty for the outermost call. */
  readonly position: readonly number[]
  readonly failed: boolean
  readonly move: CoinMove | undefined
  /**
   * The transaction's signer as the node reports it. Only the outermost call has this field; inner calls have
   * none. The signer's form is checked only when the signer is needed.
   */
  readonly signer?: unknown
}

export interface CoinMove {
  readonly sender: string
  readonly recipient: string
  readonly amountMinor: bigint
}

export interface Receipt {
  readonly txHash: string
  /** The account that signed the transaction, as the node reports it, unchecked. */
  readonly signer: unknown
  readonly blockHash: string
  readonly height: number
  readonly succeeded: boolean
  /** The status as the node reports it, unchecked. */
  readonly status: unknown
  readonly logs: unknown
}

/**
 * Parses a block's header and the hashes of its transactions. Returns undefined for null, which a node
 * answers for an unknown block.
 */
export function readHeader(value: unknown): Header | undefined {
  if (value === null || value === undefined) return undefined
  const { number, hash, parentHash, timestamp, transactions, logsBloom } = fieldsOf(value)
  const block = {
    height: countOf(number, 'block number'),
    hash: hashOf(hash, 'block hash'),
    parentHash: hashOf(parentHash, 'parent hash'),
    minedAt: new Date(countOf(timestamp, 'timestamp') * 1000),
  }
  const txs = arrayOf(transactions, 'transactions')
  const txHashes = new Set(
    txs.map((tx) => hashOf(typeof tx === 'string' ? tx : field(tx, 'hash'), 'transaction hash')),
  )
  if (txHashes.size < txs.length) throw new NodeError(`block ${block.hash} holds a transaction twice`)
  return { block, txHashes, logsBloom: matching(logsBloom, bloomPattern, 'logs bloom') }
}

/**
 * Parses all logs of a block, or of one of its transactions. The logs must belong to that block and be numbered
 * from `firstIndex` without a gap.
 * @param known holds addresses and topics that were parsed before, because looking them up is faster than
 * matching them with a pattern
 */
export function readLogs(
  value: unknown,
  header: BlockParts,
  known: KnownWords = new Set(),
  firstIndex = 0,
): Log[] {
  const wordOf = (word: unknown, chars: number, pattern: RegExp, what: string) =>
    typeof word === 'string' && word.length === chars && known.has(word)
      ? word
      : matching(word, pattern, what)
  const topicOf = (topic: unknown) => wordOf(topic, 66, hashPattern, 'topic')
  return arrayOf(value, 'logs').map((log, index) => {
    const { blockHash, transactionHash, logIndex, address, topics, data } = fieldsOf(log)
    checkBlock(blockHash, header, 'a log')
    if (countOf(logIndex, 'log index') !== firstIndex + index)
      throw new NodeError('logs are missing or out of order')
    return {
      txHash: txHashOf(transactionHash, header, 'a log'),
      address: wordOf(address, 42, addressPattern, 'address of a log'),
      topics: arrayOf(topics, 'topics').map(topicOf),
      payload: bytesOf(data, 'payload of a log'),
    }
  })
}

/** Parses the answer to `trace_block`. Block rewards belong to no transaction and are left out. */
export function readTraces(value: unknown, header: BlockParts): Trace[] {
  const traces: Trace[] = []
  for (const item of arrayOf(value, 'traces')) {
    const { blockHash, transactionHash, traceAddress, error, type, action, result } = fieldsOf(item)
    if (transactionHash === null || transactionHash === undefined) continue
    checkBlock(blockHash, header, 'a trace')
    const failed = error !== null && error !== undefined
    const position = arrayOf(traceAddress, 'trace address').map(smallNumberOf)
    const fields = fieldsOf(action)
    traces.push({
      txHash: txHashOf(transactionHash, header, 'a trace'),
      position,
      failed,
      move: failed ? undefined : moveOf(type, fields, result),
      ...(position.length === 0 && { signer: fields['from'] }),
    })
  }
  return traces
}

/**
 * Parses a transaction's receipt. Returns undefined for null, which a node answers for a transaction that is
 * not mined.
 */
export function readReceipt(value: unknown): Receipt | undefined {
  if (value === null || value === undefined) return undefined
  return {
    txHash: hashOf(field(value, 'transactionHash'), 'transaction hash of a receipt'),
    blockHash: hashOf(field(value, 'blockHash'), 'block hash of a receipt'),
    height: countOf(field(value, 'blockNumber'), 'block number of a receipt'),
    succeeded: field(value, 'status') === '0x1',
    status: field(value, 'status'),
    logs: field(value, 'logs'),
    signer: field(value, 'from'),
  }
}

/**
 * Parses a transaction's receipt with its fee. Returns undefined for null, which a node answers for a
 * transaction that is not mined.
 * @param gasPriceMinor is the price that the transaction paid, if the receipt does not state it
 */
export function readSpentReceipt(value: unknown, gasPriceMinor?: bigint): TransactionReceipt | undefined {
  const receipt = readReceipt(value)
  if (receipt === undefined) return undefined
  const { txHash, blockHash, height, succeeded } = receipt
  const fields = fieldsOf(value)
  const { status, gasUsed, effectiveGasPrice, l1Fee } = fields
  // An unknown status is rejected. If a payment were wrongly taken for failed, it would be refunded although
  // it was made.
  if (!succeeded && status !== '0x0') throw new NodeError(`the receipt of ${txHash} has no status`)
  const priceMinor = gasPriceMinor ?? amountOf(effectiveGasPrice, 'gas price')
  const gasMinor = amountOf(gasUsed, 'gas used') * priceMinor
  // Rollups of the OP stack charge a separate fee for posting their blocks to another chain. On Arbitrum, the
  // gas used includes that fee.
  const postingMinor = optionalAmount(l1Fee, 'fee of the chain below')
  const feeMinor = gasMinor + postingMinor + operatorFee(fields)
  return { txHash, blockHash, height, isSuccess: succeeded, feeMinor }
}

/**
 * Returns the operator fee of a receipt on the OP stack. The formula is that of Isthmus, or that of Jovian if
 * the receipt has `daFootprintGasScalar`, which Jovian added. Nodes omit a scalar and constant of zero.
 * Sources: the section "Execution Engine" of both upgrades in the OP stack specification, and
 * `core/types/rollup_cost.go` of ethereum-optimism/op-geth.
 */
function operatorFee(fields: Fields): bigint {
  const { gasUsed, operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar } = fields
  const scaled =
    amountOf(gasUsed, 'gas used') * optionalAmount(operatorFeeScalar, 'scalar of the operator fee')
  const isJovian = daFootprintGasScalar !== undefined && daFootprintGasScalar !== null
  const variableMinor = isJovian ? scaled * 100n : scaled / 1_000_000n
  return variableMinor + optionalAmount(operatorFeeConstant, 'constant of the operator fee')
}

function optionalAmount(value: unknown, what: string): bigint {
  return value === undefined || value === null ? 0n : amountOf(value, what)
}

/**
 * Throws if a log or trace belongs to another block than the requested one. In that case the chain changed
 * between two answers.
 */
function checkBlock(stated: unknown, { block }: BlockParts, what: string): void {
  if (stated === block.hash || hashOf(stated, `block hash of ${what}`) === block.hash) return
  throw new NodeError(`${what} belongs to another block`)
}

/**
 * Returns the transaction hash that a log or trace states. Most stated hashes are found in the block as they
 * are. To save time, their form is not checked.
 */
function txHashOf(stated: unknown, { block, txHashes }: BlockParts, what: string): string {
  if (typeof stated === 'string' && txHashes.has(stated)) return stated
  const txHash = hashOf(stated, `transaction hash of ${what}`)
  if (txHashes.has(txHash)) return txHash
  throw new NodeError(`block ${block.hash} does not hold transaction ${txHash}`)
}

/**
 * Returns the coin transfer of a trace entry. An unknown type of entry is rejected, because it might transfer
 * the coin.
 */
function moveOf(type: unknown, action: Fields, result: unknown): CoinMove | undefined {
  switch (type) {
    case 'call':
      return movesValue(action['callType']) ? callMove(action) : undefined
    case 'create':
      return createMove(action, result)
    case 'suicide':
    case 'selfdestruct':
      return endMove(action)
    default:
      throw new NodeError(`a trace has the unknown type ${JSON.stringify(type)}`)
  }
}

/**
 * Decides whether a call of this type transfers its value. A delegatecall or callcode states a value but
 * transfers nothing. A staticcall states no value.
 */
function movesValue(callType: unknown): boolean {
  if (callType === 'call') return true
  if (callType === 'delegatecall' || callType === 'callcode' || callType === 'staticcall') return false
  throw new NodeError(`a call has the unknown type ${JSON.stringify(callType)}`)
}

function callMove({ from, to, value }: Fields): CoinMove | undefined {
  const amountMinor = amountOf(value, 'value of a call')
  if (amountMinor === 0n) return undefined
  const sender = addressOf(from, 'sender of a call')
  return { sender, recipient: addressOf(to, 'recipient of a call'), amountMinor }
}

function createMove({ from, value }: Fields, result: unknown): CoinMove | undefined {
  const amountMinor = amountOf(value, 'value of a creation')
  if (amountMinor === 0n) return undefined
  const sender = addressOf(from, 'creator')
  return { sender, recipient: addressOf(field(result, 'address'), 'created address'), amountMinor }
}

/**
 * Returns the transfer of a contract that destroys itself. A contract that names itself as recipient keeps or
 * burns its coins (EIP-6780), so there is no transfer.
 */
function endMove({ address, refundAddress, balance }: Fields): CoinMove | undefined {
  const amountMinor = amountOf(balance, 'balance of an ended contract')
  const sender = addressOf(address, 'ended contract')
  const recipient = addressOf(refundAddress, 'heir of an ended contract')
  return amountMinor === 0n || sender === recipient ? undefined : { sender, recipient, amountMinor }
}

const hashPattern = /^0x[0-9a-f]{64}$/
const addressPattern = /^0x[0-9a-f]{40}$/
const bloomPattern = /^0x[0-9a-f]{512}$/
const hexPattern = /^0x[0-9a-f]*$/
const quantityPattern = /^0x[0-9a-f]{1,64}$/
const smallQuantityPattern = /^0x[0-9a-f]{1,13}$/

export function hashOf(value: unknown, what: string): string {
  return matching(value, hashPattern, what)
}

/** Parses a count that a JS number holds exactly: a height, an index or seconds. */
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

/** Parses the code at an address; `0x` if there is none. */
export function codeOf(value: unknown): string {
  return bytesOf(value, 'code')
}

export function addressOf(value: unknown, what: string): string {
  return matching(value, addressPattern, what)
}

function bytesOf(value: unknown, what: string): string {
  const hex = matching(value, hexPattern, what)
  if (hex.length % 2 === 0) return hex
  throw new NodeError(`the node's ${what} is malformed`)
}

function smallNumberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new NodeError("a trace's position is not a number")
}

function matching(value: unknown, pattern: RegExp, what: string): string {
  if (typeof value === 'string') {
    if (pattern.test(value)) return value
    const lower = value.toLowerCase()
    if (pattern.test(lower)) return lower
  }
  throw new NodeError(`the node's ${what} is malformed`)
}
