/**
 * Secrets at rest: AES-256-GCM under ENCRYPTION_KEY. A sealed value is bound to a context, so that one copied into
 * another merchant's row does not open.
 *
 * Layout: version (1 byte) | key id (4) | nonce (12) | ciphertext | tag (16).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { Secret } from './settings.ts'

const version = 1
const keyIdAt = 1
const keyIdBytes = 4
const nonceAt = 5
const ciphertextAt = 17
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** The value was sealed with another key, for another context, or was altered. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

export interface Sealer {
  /** Seals `text` for `context`, which the same call of `open` must name: `<what>:<owner's id>`. */
  seal(text: string, context: string): Buffer
  /** @throws UnsealError */
  open(sealed: Uint8Array, context: string): Secret
  /** Whether a value was sealed under the key that seals now. */
  isCurrent(sealed: Uint8Array): boolean
}

/** What became of a bite of things that a key stands behind, as they are brought under another. */
export interface RekeyedBite {
  readonly rows: number
  readonly changed: number
  /** Those that neither key knows; they stay as they are. */
  readonly foreign: number
}

interface SealKey {
  readonly id: Buffer
  readonly key: KeyObject
}

/**
 * Seals under `encryptionKey`, and opens what it or `formerKey` sealed.
 * @throws TypeError when a key is not 32 bytes in hex or base64.
 */
export function openSealer(encryptionKey: Secret, formerKey?: Secret | undefined): Sealer {
  const current = sealKeyOf(encryptionKey)
  const keys = formerKey === undefined ? [current] : [current, sealKeyOf(formerKey)]
  const header = headerOf(current)

  return {
    seal(text, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv(algorithm, current.key, nonce).setAAD(associated(header, context))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()])
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed)
      if (bytes.length < ciphertextAt + tagBytes || bytes[0] !== version) {
        throw new UnsealError('no sealed value of a known version')
      }
      const sealedBy = keys.find(({ id }) => bytes.subarray(keyIdAt, nonceAt).equals(id))
      if (sealedBy === undefined) throw new UnsealError('sealed under another ENCRYPTION_KEY')
      return unseal(sealedBy, bytes, context)
    },
    isCurrent: (sealed) => Buffer.from(sealed.subarray(keyIdAt, nonceAt)).equals(current.id),
  }
}

/** Seals anew under the current key; `current` where that is done already, `foreign` where neither key opens it. */
export function reseal(sealer: Sealer, sealed: Uint8Array, context: string): Buffer | 'current' | 'foreign' {
  if (sealer.isCurrent(sealed)) return 'current'
  try {
    return sealer.seal(sealer.open(sealed, context).reveal(), context)
  } catch (error) {
    if (error instanceof UnsealError) return 'foreign'
    throw error
  }
}

function unseal(by: SealKey, bytes: Buffer, context: string): Secret {
  const decipher = createDecipheriv(algorithm, by.key, bytes.subarray(nonceAt, ciphertextAt), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(associated(headerOf(by), context)).setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(ciphertextAt, -tagBytes)), decipher.final()])
    return new Secret(text.toString('utf8'))
  } catch (cause) {
    throw new UnsealError('altered, or sealed for another context', { cause })
  }
}

function sealKeyOf(encryptionKey: Secret): SealKey {
  const bytes = keyBytes(encryptionKey)
  return { id: keyIdOf(bytes), key: createSecretKey(bytes) }
}

function headerOf({ id }: SealKey): Buffer {
  return Buffer.concat([Buffer.of(version), id])
}

/** The id, in hex, that every value sealed under this key carries. */
export function encryptionKeyId(encryptionKey: Secret): string {
  return keyIdOf(keyBytes(encryptionKey)).toString('hex')
}

/** Names the key without telling it, so that a value under another key is recognised. */
function keyIdOf(bytes: Buffer): Buffer {
  return createHash('sha256').update('coffer/seal/key-id').update(bytes).digest().subarray(0, keyIdBytes)
}

function associated(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')])
}

/** @throws TypeError when the key is not 32 bytes in hex or base64. */
export function keyBytes(encryptionKey: Secret): Buffer {
  const text = encryptionKey.reveal()
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  if (bytes.length !== 32) throw new TypeError('ENCRYPTION_KEY must be 32 bytes, in hex or base64')
  return bytes
}
