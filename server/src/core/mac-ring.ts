/**
 * MACs over canonical texts, under keys that live in a file of their own and never in the database. A ring has one key
 * that makes MACs and any number of former ones whose MACs are still accepted, so that a key can be rotated.
 */
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

/** Makes and checks MACs. A MAC is `<key id>.<HMAC-SHA256 in hex>`. */
export interface MacRing {
  mac(text: string): string
  /** False for another text, an unknown key id, and for what is no MAC at all; constant-time for a known key. */
  verify(text: string, mac: string): boolean
  /** A ring of keys derived for one purpose: what it makes is accepted by no other purpose's ring. */
  forPurpose(purpose: string): MacRing
}

const idBytes = 4

/**
 * @param keys 32 bytes each, the current one first
 * @throws RangeError where there is none, or one has another length
 */
export function macRing(keys: readonly Buffer[]): MacRing {
  if (keys.length === 0 || keys.some((key) => key.length !== 32)) {
    throw new RangeError('a ring of MAC keys needs at least one key, of 32 bytes each')
  }
  return ringOf(keys.map((key) => ({ id: macKeyId(key), secret: key })))
}

/** Names a key without revealing it: the first digits of a hash of it, in hex. */
export function macKeyId(key: Buffer): string {
  return createHash('sha256')
    .update('coffer/mac-key-id')
    .update(key)
    .digest('hex')
    .slice(0, 2 * idBytes)
}

interface RingKey {
  readonly id: string
  readonly secret: Buffer
}

function ringOf(keys: readonly RingKey[], purpose = 'coffer mac'): MacRing {
  const derived = keys.map(({ id, secret }) => ({ id, key: deriveKey(secret, purpose) }))
  const [current] = derived
  const byId = new Map(derived.map(({ id, key }) => [id, key]))
  return {
    mac: (text) => {
      if (current === undefined) throw new RangeError('a ring of MAC keys without a key')
      return `${current.id}.${hmac(current.key, text)}`
    },
    verify: (text, mac) => {
      const [id = '', digest = ''] = mac.split('.')
      const key = byId.get(id)
      if (key === undefined) return false
      const given = Buffer.from(digest)
      const expected = Buffer.from(hmac(key, text))
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    forPurpose: (wanted) => ringOf(keys, `coffer mac ${wanted}`),
  }
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
