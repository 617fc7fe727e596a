/**
 * The root of the trie that binds a block's transactions, or its receipts, to its header (Yellow Paper, appendix D and
 * section 4.3.2). The key of each value is the RLP encoding of its place in the block. Pure.
 */
import { required } from '../../../core/assert.ts'
import { keccak256 } from './keccak.ts'
import { bytesOfCount, encodeList, encodeRlp } from './rlp.ts'

/** A value with its key as nibbles, four bits each. */
interface Entry {
  readonly nibbles: readonly number[]
  readonly value: Uint8Array
}

/** @returns 32 bytes in hex with 0x */
export function orderedTrieRoot(values: readonly Uint8Array[]): string {
  const entries = values.map(
    (value, place): Entry => ({ nibbles: nibblesOf(encodeRlp(bytesOfCount(place))), value }),
  )
  const root = entries.length === 0 ? encodeRlp(Buffer.alloc(0)) : encodeNode(entries, 0)
  return `0x${keccak256(root).toString('hex')}`
}

/** The node under which these entries lie; the first `depth` nibbles of their keys lead to it. */
function encodeNode(entries: readonly Entry[], depth: number): Buffer {
  const first = required(entries[0], 'an entry of a node')
  if (entries.length === 1) {
    const path = compactPath(first.nibbles.slice(depth), true)
    return encodeList([encodeRlp(path), encodeRlp(first.value)])
  }
  const shared = sharedLength(entries, depth)
  if (shared > 0) {
    const path = compactPath(first.nibbles.slice(depth, depth + shared), false)
    return encodeList([encodeRlp(path), referenceTo(encodeNode(entries, depth + shared))])
  }
  const empty = encodeRlp(Buffer.alloc(0))
  const children = Array.from({ length: 16 }, (_, nibble) => {
    const below = entries.filter(({ nibbles }) => nibbles[depth] === nibble)
    return below.length === 0 ? empty : referenceTo(encodeNode(below, depth + 1))
  })
  // No key is the beginning of another, as no RLP encoding is, so that no value lies at a branch itself.
  return encodeList([...children, empty])
}

/** Small nodes stand where they are referred to; others are referred to by their hash. */
function referenceTo(node: Buffer): Buffer {
  return node.length < 32 ? node : encodeRlp(keccak256(node))
}

/** How many nibbles from `depth` on all keys have in common. */
function sharedLength(entries: readonly Entry[], depth: number): number {
  const { nibbles } = required(entries[0], 'an entry of a node')
  let shared = 0
  while (
    depth + shared < nibbles.length &&
    entries.every((entry) => entry.nibbles[depth + shared] === nibbles[depth + shared])
  )
    shared += 1
  return shared
}

/** Yellow Paper, appendix C: the first nibble says whether it is a leaf, and whether the count of nibbles is odd. */
function compactPath(nibbles: readonly number[], isLeaf: boolean): Buffer {
  const isOdd = nibbles.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  const padded = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles]
  return Buffer.from(padded.map((nibble) => nibble.toString(16)).join(''), 'hex')
}

function nibblesOf(bytes: Uint8Array): readonly number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 0x0f])
}
