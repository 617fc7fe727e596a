import { pooledRandom } from './chance.ts'
import { wallMs } from './clock.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Returns a UUID version 7 (RFC 9562, 5.7): 48 bits of milliseconds, then 74 random bits. The ids sort by
 * creation time, so new rows are added at the end of an index. The time is that of this process, and the clocks
 * of processes differ, so the order of ids must decide nothing. An id must never serve as a secret.
 */
export function newId(now: number = wallMs()): string {
  const bytes = pooledRandom(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The nil UUID (RFC 9562, 5.9), which sorts before every other id. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Decides whether a text has the form of an id. A request whose path has another text in place of an id is
 * answered like a request with an unknown id.
 */
export function isId(text: string): boolean {
  return uuidPattern.test(text)
}
