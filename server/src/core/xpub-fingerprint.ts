import { createHash } from 'node:crypto'

/** Names an account xpub where it is compared or shown, in 16 digits. */
export function xpubFingerprint(xpub: string): string {
  return createHash('sha256').update(xpub).digest('hex').slice(0, 16)
}
