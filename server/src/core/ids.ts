import { randomFillSync } from 'node:crypto'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * A UUID version 7 (RFC 9562, 5.7): 48 bits of milliseconds, then 74 random bits. Sortable by creation, so that
 * new rows land at the right edge of their index. An identifier, never a secret.
 */
export function newId(now: number = Date.now()): string {
  const bytes = nextRandom()
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Comes before every id (RFC 9562, 5.9). */
export const firstId = '00000000-0000-0000-0000-000000000000'

const idBytes = 16
/** Asked of the system for many ids at once: that costs as much as for one, and each request takes two. */
const randomness = Buffer.alloc(idBytes * 256)
let used = randomness.length

function nextRandom(): Buffer {
  if (used === randomness.length) {
    randomFillSync(randomness)
    used = 0
  }
  used += idBytes
  return randomness.subarray(used - idBytes, used)
}

/** Whether a path segment could name a record at all; anything else is answered like an unknown id. */
export function isId(text: string): boolean {
  return uuidPattern.test(text)
}
