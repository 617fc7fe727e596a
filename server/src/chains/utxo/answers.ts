/** What a node of the UTXO family answers, checked for shape: a malformed answer is a NodeError. */
import { type Fields, fieldsOf, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { type BlockRef, NodeError } from '../port.ts'

const hashPattern = /^[0-9a-f]{64}$/
/** Core's RPC_INVALID_PARAMETER, by which it says that there is no block so high. */
const outOfRange = -8
/** Core's RPC_INVALID_ADDRESS_OR_KEY, by which it says that it knows no such transaction or block. */
const notFound = -5

export function hashOf(value: unknown, what: string): string {
  if (typeof value === 'string' && hashPattern.test(value)) return value
  throw new NodeError(`the node's ${what} is malformed`)
}

/** A count that a JS number holds exactly. */
export function countOf(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new NodeError(`the node's ${what} is malformed`)
}

export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new NodeError(`the node's ${what} is malformed`)
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new NodeError(`the node's ${what} are not a list`)
}

/** The hash of the block now at a height; undefined above the head. */
export function heightAnswer(answer: RpcAnswer | undefined): string | undefined {
  if (answer?.refusal?.code === outOfRange) return undefined
  return hashOf(resultOf(answer, 'getblockhash'), 'block hash')
}

/** What was found; undefined where the node knows no such thing. */
export function foundAnswer(answer: RpcAnswer | undefined, method: string): Fields | undefined {
  const code = answer?.refusal?.code
  if (code === notFound || code === outOfRange) return undefined
  const result = resultOf(answer, method)
  return result === null ? undefined : fieldsOf(result)
}

/** A header that must be of `hash`. */
export function readHeader(value: unknown, hash: string): BlockRef {
  const { hash: stated, height, previousblockhash, time } = fieldsOf(value)
  if (stated !== hash) throw new NodeError(`the node gave another header than that of ${hash}`)
  return {
    height: countOf(height, 'block height'),
    hash,
    // The first block has none.
    parentHash: previousblockhash === undefined ? '0'.repeat(64) : hashOf(previousblockhash, 'parent hash'),
    minedAt: new Date(countOf(time, 'block time') * 1000),
  }
}
