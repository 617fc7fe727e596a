/**
 * Makes and verifies MACs of canonical texts. The keys are stored in a separate file and never in the
 * database. A ring makes MACs with its current key, and also accepts MACs made with former keys. The current
 * key can therefore be replaced.
 */
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

/** Makes and verifies MACs of the form `<key id>.<HMAC-SHA256 in hex>`. */
export interface MacKeyRing {
  mac(text: string): string
  /**
   * Returns false if the MAC is of another text, has an unknown key id or is malformed. Takes constant time
   * if the key id is known.
   */
  verify(text: string, mac: string): boolean
  /**
   * Returns a ring with keys derived for one purpose. MACs made by the returned ring are rejected by the
   * rings for all other purposes.
   */
  forPurpose(purpose: string): MacKeyRing
}

const idBytes = 4

/**
 * @param keys the keys, 32 bytes each, with the current key first
 * @throws RangeError if there is no key, or a key does not have 32 bytes
 */
export function macKeyRing(keys: readonly Buffer[]): MacKeyRing {
  if (keys.length === 0 || keys.some((key) => key.length !== 32)) {
    throw new RangeError('a ring of MAC keys needs at least one key, of 32 bytes each')
  }
  return keyRingOf(keys.map((key) => ({ id: macKeyId(key), secret: key })))
}

/** Returns the id of a key: the first hex digits of a hash of the key. The id does not reveal the key. */
export function macKeyId(key: Buffer): string {
  return createHash('sha256')
    .update('coffer/mac-key-id')
    .update(key)
    .digest('hex')
    .slice(0, 2 * idBytes)
}

interface RingEntry {
  readonly id: string
  readonly secret: Buffer
}

function keyRingOf(keys: readonly RingEntry[], purpose = 'coffer mac'): MacKeyRing {
  const derived = keys.map(({ id, secret }) => ({ id, key: deriveKey(secret, purpose) }))
  const [current] = derived
  const byId = new Map(derived.map(({ id, key }) => [id, key]))
  return {
    mac: (text) => {
      if (current === undefined) throw new RangeError('the ring of MAC keys has no key')
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
    forPurpose: (wanted) => keyRingOf(keys, `coffer mac ${wanted}`),
  }
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
