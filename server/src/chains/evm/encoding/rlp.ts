/** Encodes data as Recursive Length Prefix (RLP), which Ethereum hashes (Yellow Paper, appendix B). */

/** Bytes, or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]

const shortMax = 55
const bytesPrefix = 0x80
const listPrefix = 0xc0

export function encodeRlp(item: RlpItem): Buffer {
  if (item instanceof Uint8Array) return encodeBytes(item)
  return encodeList(item.map(encodeRlp))
}

/** Encodes a list of items that are encoded already. */
export function encodeList(items: readonly Uint8Array[]): Buffer {
  const length = items.reduce((total, item) => total + item.length, 0)
  return Buffer.concat([prefixOf(length, listPrefix), ...items])
}

function encodeBytes(bytes: Uint8Array): Buffer {
  const [first] = bytes
  if (bytes.length === 1 && first !== undefined && first < bytesPrefix) return Buffer.from(bytes)
  return Buffer.concat([prefixOf(bytes.length, bytesPrefix), bytes])
}

function prefixOf(length: number, prefix: number): Buffer {
  if (length <= shortMax) return Buffer.from([prefix + length])
  const lengthBytes = bytesOfCount(length)
  return Buffer.concat([Buffer.from([prefix + shortMax + lengthBytes.length]), lengthBytes])
}

/** Encodes a whole number as RLP defines it: big-endian without leading zeros, so that zero has no bytes. */
export function bytesOfCount(count: number | bigint): Buffer {
  const hex = count.toString(16)
  return count === 0 || count === 0n
    ? Buffer.alloc(0)
    : Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}
