import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../core/derive-key.ts'

/** The key that claim tokens are made with. */
export function claimTokenKey(encryptionKey: Buffer): KeyObject {
  return deriveKey(encryptionKey, 'coffer claim token')
}

/**
 * The 256-bit token that lets whoever holds it claim a withdraw invoice. It follows from the invoice's id, so that a
 * merchant who asks again under the same reference gets the same one, and only its hash is stored.
 */
export function claimToken(key: KeyObject, invoiceId: string): string {
  return createHmac('sha256', key).update(`claim ${invoiceId}`).digest('base64url')
}

export function claimHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether `token` is the one a stored hash was made of; in constant time. */
export function opensClaim(storedHash: Buffer, token: string): boolean {
  return timingSafeEqual(storedHash, claimHash(token))
}

/** What a merchant hands on to the payee. The token stands in the fragment, which browsers send to no server. */
export function claimUrl(publicUrl: string, invoiceId: string, token: string): string {
  return `${publicUrl}/pay/${invoiceId}#claim=${token}`
}

/** What the token of a claim is sealed for (`core/seal.ts`), where the key that it follows from is given up. */
export function sealedClaimContext(invoiceId: string): string {
  return `claim-token:${invoiceId}`
}
