import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../core/derive-key.ts'

/** Returns the key from which claim tokens are derived. */
export function claimTokenKey(encryptionKey: Buffer): KeyObject {
  return deriveKey(encryptionKey, 'coffer claim token')
}

/**
 * Returns the 256-bit token whose holder may claim a withdraw invoice. The token is derived from the
 * invoice's id, so a merchant who repeats a request gets the same token. Only the token's hash is stored.
 */
export function claimToken(key: KeyObject, invoiceId: string): string {
  return createHmac('sha256', key).update(`claim ${invoiceId}`).digest('base64url')
}

export function claimHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Returns whether `token` matches a stored hash. The comparison takes constant time. */
export function opensClaim(storedHash: Buffer, token: string): boolean {
  return timingSafeEqual(storedHash, claimHash(token))
}

/**
 * Returns the link that a merchant gives to the payee. The token is in the fragment, which browsers do not
 * send to servers.
 */
export function claimUrl(publicUrl: string, invoiceId: string, token: string): string {
  return `${publicUrl}/pay/${invoiceId}#claim=${token}`
}

/**
 * Returns the context under which a claim token is encrypted (`core/seal.ts`). A token is stored encrypted
 * when the key from which it was derived is replaced.
 */
export function sealedClaimContext(invoiceId: string): string {
  return `claim-token:${invoiceId}`
}
