/**
 * Parses bytes and numbers from nodes into the form in which they are encoded and hashed again: hex without 0x
 * (`rlp.ts`).
 */
import { NodeError } from '../../port.ts'

export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

export function bytesField(value: unknown, what: string): string {
  if (typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value))
    return value.slice(2)
  throw new NodeError(`the node's ${what} is malformed`)
}

/**
 * Returns the bytes of a number without leading zeros. Some nodes add leading zeros to the numbers of
 * signatures.
 */
export function countField(value: unknown, what: string): string {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return wholeBytes(value)
  throw new NodeError(`the node's ${what} is malformed`)
}

/** Returns the digits of a number in hex with 0x as whole bytes, without leading zeros. */
function wholeBytes(value: string): string {
  let start = 2
  while (value[start] === '0') start += 1
  const digits = value.slice(start)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}
