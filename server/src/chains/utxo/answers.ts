/** Parses a UTXO node's answers and checks their form. A malformed answer throws NodeError. */
import { type Fields, fieldsOf, type RpcAnswer, resultOf } from '../json-rpc.ts'
import { type BlockRef, NodeError } from '../port.ts'

const hashPattern = /^[0-9a-f]{64}$/
/** Core's error code RPC_INVALID_PARAMETER, the answer for a height above the head. */
const outOfRange = -8
/** Core's error code RPC_INVALID_ADDRESS_OR_KEY, the answer for an unknown transaction or block. */
const notFound = -5

export function hashOf(value: unknown, what: string): string {
  if (typeof value === 'string' && hashPattern.test(value)) return value
  throw new NodeError(`the node's ${what} is malformed`)
}

/** Parses a count, which must be small enough that a JS number holds it exactly. */
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

/** Returns the block hash in an answer to `getblockhash`; undefined if the height is above the head. */
export function heightAnswer(answer: RpcAnswer | undefined): string | undefined {
  if (answer?.error?.code === outOfRange) return undefined
  return hashOf(resultOf(answer, 'getblockhash'), 'block hash')
}

/** Returns the object in an answer; undefined if the node does not know the requested object. */
export function foundAnswer(answer: RpcAnswer | undefined, method: string): Fields | undefined {
  const code = answer?.error?.code
  if (code === notFound || code === outOfRange) return undefined
  const result = resultOf(answer, method)
  return result === null ? undefined : fieldsOf(result)
}

/** Parses the header of the block `hash`. @throws NodeError if the node returned another header */
export function readHeader(value: unknown, hash: string): BlockRef {
  const { hash: stated, height, previousblockhash, time } = fieldsOf(value)
  if (stated !== hash) throw new NodeError(`the node returned another header than that of ${hash}`)
  return {
    height: countOf(height, 'block height'),
    hash,
    // The genesis block has no parent.
    parentHash: previousblockhash === undefined ? '0'.repeat(64) : hashOf(previousblockhash, 'parent hash'),
    minedAt: new Date(countOf(time, 'block time') * 1000),
  }
}
