/**
 * Computes the root of the trie of a block's transactions, or of its receipts. The block's header contains
 * both roots (Yellow Paper, appendix D and section 4.3.2). The key of each value is the RLP encoding of its
 * index in the block. Pure.
 */
import { required } from '../../../core/assert.ts'
import { keccak256 } from './keccak.ts'
import { bytesOfCount, encodeList, encodeRlp } from './rlp.ts'

/** A value with its key as nibbles of four bits each. */
interface Entry {
  readonly nibbles: readonly number[]
  readonly value: Uint8Array
}

/** Computes the root of the trie of `values`, in their order. @returns 32 bytes in hex with 0x */
export function orderedTrieRoot(values: readonly Uint8Array[]): string {
  const entries = values.map(
    (value, index): Entry => ({ nibbles: nibblesOf(encodeRlp(bytesOfCount(index))), value }),
  )
  const root = entries.length === 0 ? encodeRlp(Buffer.alloc(0)) : encodeNode(entries, 0)
  return `0x${keccak256(root).toString('hex')}`
}

/** Encodes the trie node of these entries, whose keys all share their first `depth` nibbles. */
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
  // RLP encodings are prefix-free, so no key is a prefix of another key. A branch node itself therefore holds
  // no value.
  return encodeList([...children, empty])
}

/** Returns a parent's reference to a node: the node if it has fewer than 32 bytes, otherwise its hash. */
function referenceTo(node: Buffer): Buffer {
  return node.length < 32 ? node : encodeRlp(keccak256(node))
}

/** Returns the number of nibbles, counted from `depth`, that all keys have in common. */
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

/**
 * Encodes a path as in appendix C of the Yellow Paper. The first nibble says whether the node is a leaf, and
 * whether the number of nibbles is odd.
 */
function compactPath(nibbles: readonly number[], isLeaf: boolean): Buffer {
  const isOdd = nibbles.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  const padded = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles]
  return Buffer.from(padded.map((nibble) => nibble.toString(16)).join(''), 'hex')
}

function nibblesOf(bytes: Uint8Array): readonly number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 0x0f])
}
