import { createHash } from 'node:crypto'

/** Returns 16 hex digits that identify an account xpub where xpubs are compared or shown. */
export function xpubFingerprint(xpub: string): string {
  return createHash('sha256').update(xpub).digest('hex').slice(0, 16)
}
