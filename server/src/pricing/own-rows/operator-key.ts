/** Joins the operator's keys with the installation for which they sign. */
import { textSigner, textVerifier } from '../../signing/order-signature.ts'
import type { ReadingParts } from './own-rows.ts'

/** Returns what is needed to read entries. Without a public key every entry is refused. */
export function readingParts(publicKeys: readonly Buffer[], installation: string): ReadingParts {
  return { isSigned: textVerifier(publicKeys), installation }
}

/** Returns what is needed to add entries. The signer's own public key is accepted beside the given ones. */
export function writingParts(seed: Buffer, publicKeys: readonly Buffer[], installation: string) {
  return { ...readingParts(publicKeys, installation), sign: textSigner(seed) }
}
