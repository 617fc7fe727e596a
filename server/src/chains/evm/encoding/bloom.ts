/**
 * Computes the logs bloom of a block, in which every log sets bits (Yellow Paper, 4.3.1, functions M and
 * M3:2048).
 */
import { keccak256 } from './keccak.ts'

export interface BloomEntry {
  readonly address: string
  readonly topics: readonly string[]
}

/**
 * A cache of the three bits that each address and topic sets. Many addresses and topics occur in several logs
 * of a block, and in neighbouring blocks.
 */
export type BloomBits = Map<string, readonly number[]>

const bloomBytes = 256
const cachedMax = 20_000

/**
 * Returns the bloom of `logs` in hex with 0x. Addresses and topics are in lower-case hex with 0x. Callers
 * should keep `cached` between calls, because hashing takes nearly all the time.
 */
export function bloomOf(logs: readonly BloomEntry[], cached: BloomBits = new Map()): string {
  const bloom = Buffer.alloc(bloomBytes)
  if (cached.size > cachedMax) cached.clear()
  for (const { address, topics } of logs) {
    setBits(bloom, bitsOf(address, cached))
    for (const topic of topics) setBits(bloom, bitsOf(topic, cached))
  }
  return `0x${bloom.toString('hex')}`
}

/**
 * Decides whether a bloom says that a block may have a log with all of these addresses and topics. False is
 * certain; true may be wrong, because other words may have set the same bits.
 */
export function mayHold(bloom: string, words: readonly string[], cached: BloomBits = new Map()): boolean {
  const bytes = Buffer.from(bloom.slice(2), 'hex')
  return words.every((word) => bitsOf(word, cached).every((bit) => hasBit(bytes, bit)))
}

/** Returns three bit indexes: the low 11 bits of each of the first three pairs of bytes of the hash. */
function bitsOf(hex: string, cached: BloomBits): readonly number[] {
  const known = cached.get(hex)
  if (known !== undefined) return known
  const hash = keccak256(Buffer.from(hex.slice(2), 'hex'))
  const bits = [0, 2, 4].map((pair) => (((hash[pair] ?? 0) & 0x07) << 8) | (hash[pair + 1] ?? 0))
  cached.set(hex, bits)
  return bits
}

/** Sets bits of the bloom by their indexes. Bit 0 is the lowest bit of the last byte. */
function setBits(bloom: Buffer, bits: readonly number[]): void {
  for (const bit of bits) {
    const byteIndex = bloomBytes - 1 - (bit >> 3)
    bloom[byteIndex] = (bloom[byteIndex] ?? 0) | (1 << (bit & 0x07))
  }
}

function hasBit(bloom: Buffer, bit: number): boolean {
  return ((bloom[bloomBytes - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 0x07))) !== 0
}
