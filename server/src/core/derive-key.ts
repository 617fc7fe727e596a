import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/**
 * A 256-bit key for one purpose, apart from every other key of the same secret (RFC 5869).
 * @param purpose for ever the same: another one is another key
 */
export function deriveKey(secret: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
}
