/**
 * Makes the transactions, receipts, logs and traces of blocks. The roots, the bloom filter and all hashes are
 * right, so that a block can be proven against its hash. The senders' signatures are random, because nobody checks
 * the signer of a transaction that does not pay us.
 */
import { createHash } from 'node:crypto'
import { bloomOf } from '../../src/chains/evm/encoding/bloom.ts'
import { keccakOfHex } from '../../src/chains/evm/encoding/keccak.ts'
import { encodeRlp, hexOfCount } from '../../src/chains/evm/encoding/rlp.ts'
import { typed } from '../../src/chains/evm/encoding/transaction-bytes.ts'
import { transferTopic } from '../../src/chains/evm/transfers.ts'
import type { Shape } from './shapes.ts'

/** Stands in a body for the hash of its block, which is known later. */
export const hashMark = `0x${'bb'.repeat(32)}`
/** Stands for the height of the block, in hex. */
export const heightMark = '0xb10cb10cb10c'

/** A transaction with all that nodes report about it. Objects have the form of JSON-RPC. */
export interface MadeTransaction {
  readonly hash: string
  readonly transaction: object
  readonly receipt: object
  readonly traces: readonly object[]
  /** The bytes of the transaction and of its receipt, in hex without 0x. The block's roots are computed from them. */
  readonly transactionBytes: string
  readonly receiptBytes: string
  readonly logs: readonly MadeLog[]
}

export interface MadeLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** Where a transaction is in its block. */
export interface Position {
  readonly index: number
  readonly firstLogIndex: number
}

/** The facts of a transaction that decide its bytes. */
export interface Signed {
  readonly chainId: number
  readonly nonce: number
  readonly from: string
  readonly to: string
  readonly input: string
  readonly r: string
  readonly s: string
  readonly yParity: 0 | 1
}

const gas = 200_000
const gasPrice = 1_000_000n

/** Makes the transactions of one block. `seed` decides everything random. */
export function makeBody(
  shape: Shape,
  chainId: number,
  tokens: readonly string[],
  seed: string,
): MadeTransaction[] {
  const body: MadeTransaction[] = []
  for (let index = 0, firstLogIndex = 0; index < shape.transactions; index += 1) {
    const logCount = Math.floor(((index + 1) * shape.logs) / shape.transactions) - firstLogIndex
    const logs = Array.from({ length: logCount }, (_, log) => makeLog(tokens, `${seed}:${index}:${log}`))
    const signed = randomSigned(chainId, index, `${seed}:${index}`)
    body.push(makeTransaction(signed, logs, shape.innerCalls, { index, firstLogIndex }))
    firstLogIndex += logCount
  }
  return body
}

export function makeTransaction(
  signed: Signed,
  logs: readonly MadeLog[],
  innerCalls: number,
  position: Position,
): MadeTransaction {
  const { chainId, nonce, from, to, input, r, s, yParity } = signed
  const items = [chainId, nonce, 0, gasPrice, gas].map(hexOfCount)
  const call = [bytesOf(to), hexOfCount(0), bytesOf(input), []]
  const signature = [hexOfCount(yParity), hexOfCount(BigInt(r)), hexOfCount(BigInt(s))]
  const transactionBytes = typed('0x2', [...items, ...call, ...signature])
  const hash = keccakOfHex(transactionBytes)
  const bloom = bloomOf(logs)
  const cumulativeGas = (position.index + 1) * 100_000
  const words = logs.map(({ address, topics, data }) => [
    bytesOf(address),
    topics.map(bytesOf),
    bytesOf(data),
  ])
  const receiptBytes = typed('0x2', [hexOfCount(1), hexOfCount(cumulativeGas), bytesOf(bloom), words])
  const where = { blockHash: hashMark, blockNumber: heightMark, transactionIndex: hex(position.index) }
  const transaction = {
    ...where,
    hash,
    type: '0x2',
    chainId: hex(chainId),
    nonce: hex(nonce),
    from,
    to,
    value: '0x0',
    gas: hex(gas),
    input,
    maxPriorityFeePerGas: '0x0',
    maxFeePerGas: hex(gasPrice),
    gasPrice: hex(gasPrice),
    accessList: [],
    r: hex(BigInt(r)),
    s: hex(BigInt(s)),
    yParity: hex(yParity),
    v: hex(yParity),
  }
  const receipt = {
    ...where,
    transactionHash: hash,
    type: '0x2',
    status: '0x1',
    cumulativeGasUsed: hex(cumulativeGas),
    gasUsed: hex(100_000),
    effectiveGasPrice: hex(gasPrice),
    from,
    to,
    contractAddress: null,
    logsBloom: bloom,
    logs: logs.map((log, index) => ({
      ...log,
      ...where,
      transactionHash: hash,
      logIndex: hex(position.firstLogIndex + index),
      removed: false,
    })),
  }
  const traces = tracesOf({ hash, from, to, input }, innerCalls, position.index)
  return { hash, transaction, receipt, traces, transactionBytes, receiptBytes, logs }
}

/** The log of a transfer of a token. */
export function transferLog(token: string, from: string, to: string, amountMinor: bigint): MadeLog {
  const data = `0x${amountMinor.toString(16).padStart(64, '0')}`
  return { address: token, topics: [transferTopic, wordOf(from), wordOf(to)], data }
}

/**
 * A fifth of the logs are transfers of tokens that are accepted, as many are transfers of other tokens, and the
 * rest are other events.
 */
function makeLog(tokens: readonly string[], seed: string): MadeLog {
  const kind = randomBytes(`${seed}:kind`)[0] ?? 0
  const from = addressOf(`${seed}:from`)
  if (kind % 5 < 2) {
    const token = kind % 5 === 0 ? (tokens[kind % tokens.length] ?? '') : addressOf(`token:${kind}`)
    return transferLog(token, from, addressOf(`${seed}:to`), BigInt(1_000_000 + kind))
  }
  const topics = [`0x${randomBytes('topic').toString('hex')}`, wordOf(from)]
  return { address: addressOf(`contract:${kind}`), topics, data: `0x${'00'.repeat(96)}` }
}

function randomSigned(chainId: number, nonce: number, seed: string): Signed {
  return {
    chainId,
    nonce,
    from: addressOf(`${seed}:sender`),
    to: addressOf(`${seed}:contract`),
    input: `0x${randomBytes(`${seed}:input`).toString('hex').repeat(4)}`,
    r: `0x${randomBytes(`${seed}:r`).toString('hex')}`,
    s: `0x${randomBytes(`${seed}:s`).toString('hex')}`,
    yParity: 0,
  }
}

interface Call {
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly input: string
}

function tracesOf({ hash, from, to, input }: Call, innerCalls: number, index: number): readonly object[] {
  const entry = (traceAddress: readonly number[], subtraces: number, sender: string, called: string) => ({
    action: { callType: 'call', from: sender, to: called, gas: hex(gas), input, value: '0x0' },
    blockHash: hashMark,
    blockNumber: heightMark,
    result: { gasUsed: hex(50_000), output: '0x' },
    subtraces,
    traceAddress,
    transactionHash: hash,
    transactionPosition: index,
    type: 'call',
  })
  const inner = Array.from({ length: innerCalls }, (_, at) => entry([at], 0, to, addressOf(`${hash}:${at}`)))
  return [entry([], innerCalls, from, to), ...inner]
}

/** The bytes of a header are hashed with this function of its fields. */
export function hashOfHeader(fields: readonly string[]): string {
  return keccakOfHex(encodeRlp(fields))
}

export function addressOf(seed: string): string {
  return `0x${randomBytes(seed).subarray(0, 20).toString('hex')}`
}

export function randomBytes(seed: string): Buffer {
  return createHash('sha256').update(seed).digest()
}

/** Returns bytes without their 0x, as they are encoded. */
export function bytesOf(hexText: string): string {
  return hexText.slice(2)
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

function wordOf(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}
