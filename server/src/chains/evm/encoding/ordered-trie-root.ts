/**
 * Computes the root of the trie of a block's transactions, or of its receipts. The block's header contains
 * both roots (Yellow Paper, appendix D and section 4.3.2). The key of each value is the RLP encoding of its
 * index in the block. All bytes are hex (`rlp.ts`), so that each character of a key is one of its nibbles. Pure.
 */
import { required } from '../../../core/assert.ts'
import { keccakOfHex } from './keccak.ts'
import { encodeList, encodeRlp, hexOfCount } from './rlp.ts'

/** A value with its key. */
interface Entry {
  readonly key: string
  readonly value: string
}

/** Computes the root of the trie of `values`, in their order. @returns 32 bytes in hex with 0x */
export function orderedTrieRoot(values: readonly string[]): string {
  const entries = values.map((value, index): Entry => ({ key: encodeRlp(hexOfCount(index)), value }))
  return keccakOfHex(entries.length === 0 ? empty : encodeNode(entries, 0))
}

const empty = encodeRlp('')

/** Encodes the trie node of these entries, whose keys all share their first `depth` nibbles. */
function encodeNode(entries: readonly Entry[], depth: number): string {
  const first = required(entries[0], 'an entry of a node')
  if (entries.length === 1)
    return encodeList([encodeRlp(compactPath(first.key.slice(depth), true)), encodeRlp(first.value)])
  const shared = sharedLength(entries, depth)
  if (shared > 0) {
    const path = compactPath(first.key.slice(depth, depth + shared), false)
    return encodeList([encodeRlp(path), referenceTo(encodeNode(entries, depth + shared))])
  }
  const children = [...'0123456789abcdef'].map((nibble) => {
    const below = entries.filter(({ key }) => key[depth] === nibble)
    return below.length === 0 ? empty : referenceTo(encodeNode(below, depth + 1))
  })
  // RLP encodings are prefix-free, so no key is a prefix of another key. A branch node itself therefore holds
  // no value.
  return encodeList([...children, empty])
}

/** Returns a parent's reference to a node: the node if it has fewer than 32 bytes, otherwise its hash. */
function referenceTo(node: string): string {
  return node.length < 64 ? node : encodeRlp(keccakOfHex(node).slice(2))
}

/** Returns the number of nibbles, counted from `depth`, that all keys have in common. */
function sharedLength(entries: readonly Entry[], depth: number): number {
  const { key } = required(entries[0], 'an entry of a node')
  let shared = 0
  while (
    depth + shared < key.length &&
    entries.every((entry) => entry.key[depth + shared] === key[depth + shared])
  )
    shared += 1
  return shared
}

/**
 * Encodes a path as in appendix C of the Yellow Paper. The first nibble says whether the node is a leaf, and
 * whether the number of nibbles is odd.
 */
function compactPath(nibbles: string, isLeaf: boolean): string {
  const isOdd = nibbles.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  return isOdd ? `${flag}${nibbles}` : `${flag}0${nibbles}`
}
