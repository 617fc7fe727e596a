/** Bytes as nodes write them, for what is made anew to be hashed. */
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

/** Some nodes pad the numbers of signatures with zeros. */
export function countField(value: unknown, what: string): Buffer {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return bytesOfCount(BigInt(value))
  throw new NodeError(`the node's ${what} is malformed`)
}

export function spell(hash: Buffer): `0x${string}` {
  return `0x${hash.toString('hex')}`
}
