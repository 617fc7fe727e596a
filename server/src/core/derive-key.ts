import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/**
 * Derives a 256-bit key from a secret for one purpose, with HKDF (RFC 5869). Keys for different purposes are
 * independent of each other.
 * @param purpose must never change, because another purpose gives another key
 */
export function deriveKey(secret: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
}
