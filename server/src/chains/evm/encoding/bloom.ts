/** The logs bloom of a block (Yellow Paper, 4.3.1, functions M and M3:2048): every log must have left its marks in it. */
import { keccak256 } from './keccak.ts'

export interface BloomEntry {
  readonly address: string
  readonly topics: readonly string[]
}

/** The three bits of each address and topic met before. A block's logs share many, neighbouring blocks share more. */
export type BloomMarks = Map<string, readonly number[]>

const bloomBytes = 256
const marksMax = 20_000

/**
 * The bloom of `logs` as 0x hex. Addresses and topics are 0x hex, in lower case. Hashing is nearly the whole cost, so
 * `marks` is worth keeping between calls.
 */
export function bloomOf(logs: readonly BloomEntry[], marks: BloomMarks = new Map()): string {
  const bloom = Buffer.alloc(bloomBytes)
  if (marks.size > marksMax) marks.clear()
  for (const { address, topics } of logs) {
    setBits(bloom, marksOf(address, marks))
    for (const topic of topics) setBits(bloom, marksOf(topic, marks))
  }
  return `0x${bloom.toString('hex')}`
}

/** The low 11 bits of each of the first three pairs of bytes of the hash: three bits of 2048. */
function marksOf(hex: string, marks: BloomMarks): readonly number[] {
  const known = marks.get(hex)
  if (known !== undefined) return known
  const hash = keccak256(Buffer.from(hex.slice(2), 'hex'))
  const bits = [0, 2, 4].map((pair) => (((hash[pair] ?? 0) & 0x07) << 8) | (hash[pair + 1] ?? 0))
  marks.set(hex, bits)
  return bits
}

/** Bit 0 is the lowest bit of the last byte. */
function setBits(bloom: Buffer, bits: readonly number[]): void {
  for (const bit of bits) {
    const place = bloomBytes - 1 - (bit >> 3)
    bloom[place] = (bloom[place] ?? 0) | (1 << (bit & 0x07))
  }
}
