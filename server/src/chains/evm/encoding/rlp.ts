/**
 * Encodes data as Recursive Length Prefix (RLP), which Ethereum hashes (Yellow Paper, appendix B). All bytes are
 * text: two hex digits each, without 0x. Nodes report hex, and to join texts is many times faster than to copy
 * thousands of small buffers for each block.
 */

/** Bytes in hex, or a list of items. */
export type RlpItem = string | readonly RlpItem[]

const shortMax = 55
const bytesPrefix = 0x80
const listPrefix = 0xc0

export function encodeRlp(item: RlpItem): string {
  if (typeof item === 'string') return encodeBytes(item)
  return encodeList(item.map(encodeRlp))
}

/** Encodes a list of items that are encoded already. */
export function encodeList(items: readonly string[]): string {
  const encoded = items.join('')
  return prefixOf(encoded.length / 2, listPrefix) + encoded
}

function encodeBytes(hex: string): string {
  if (hex.length === 2 && Number.parseInt(hex, 16) < bytesPrefix) return hex
  return prefixOf(hex.length / 2, bytesPrefix) + hex
}

function prefixOf(length: number, prefix: number): string {
  if (length <= shortMax) return hexOfCount(prefix + length)
  const lengthHex = hexOfCount(length)
  return hexOfCount(prefix + shortMax + lengthHex.length / 2) + lengthHex
}

/** Encodes a whole number as RLP defines it: big-endian without leading zeros, so that zero has no bytes. */
export function hexOfCount(count: number | bigint): string {
  if (count === 0 || count === 0n) return ''
  const digits = count.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}
