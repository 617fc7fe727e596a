/** Parses bytes and numbers from nodes into the form in which they are encoded and hashed again. */
import { NodeError } from '../../port.ts'
import { bytesOfCount } from './rlp.ts'

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

export function bytesField(value: unknown, what: string): Buffer {
  if (typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value))
    return Buffer.from(value.slice(2), 'hex')
  throw new NodeError(`the node's ${what} is malformed`)
}

/**
 * Returns the bytes of a number without leading zeros. Some nodes add leading zeros to the numbers of
 * signatures.
 */
export function countField(value: unknown, what: string): Buffer {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return bytesOfCount(BigInt(value))
  throw new NodeError(`the node's ${what} is malformed`)
}

export function toHex(hash: Buffer): `0x${string}` {
  return `0x${hash.toString('hex')}`
}
