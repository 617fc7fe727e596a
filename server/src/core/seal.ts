/**
 * Encrypts stored secrets with AES-256-GCM under ENCRYPTION_KEY. Here `seal` means encrypt and `open` means
 * decrypt. A sealed value is bound to a context, so that a value copied into another merchant's row cannot be
 * decrypted there.
 *
 * Layout: version (1 byte) | key id (4) | nonce (12) | ciphertext | tag (16).
 */

import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { randomBytes } from './chance.ts'
import { Secret } from './settings.ts'

const version = 1
const keyIdAt = 1
const keyIdBytes = 4
const nonceAt = 5
const ciphertextAt = 17
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** Thrown if a value cannot be decrypted: the key or the context is wrong, or the value was altered. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

export interface Sealer {
  /**
   * Encrypts `text` for a context of the form `<what>:<owner's id>`. The same context is needed to decrypt
   * the value.
   */
  seal(text: string, context: string): Buffer
  /** Decrypts a value. @throws UnsealError if the key or context is wrong, or if the value was altered */
  open(sealed: Uint8Array, context: string): Secret
  /** Decides whether a value was encrypted with the current key. */
  isCurrent(sealed: Uint8Array): boolean
}

/**
 * The result of one batch of re-encryption. All numbers count rows that contain values encrypted with
 * ENCRYPTION_KEY.
 */
export interface ReencryptedBatch {
  readonly rows: number
  readonly changed: number
  /** Number of rows that neither the current nor the former key can decrypt. These rows stay unchanged. */
  readonly foreign: number
}

interface SealKey {
  readonly id: Buffer
  readonly key: KeyObject
}

/**
 * Creates a sealer that encrypts with `encryptionKey`, and decrypts values encrypted with `encryptionKey` or
 * `formerKey`.
 * @throws TypeError if a key is not 32 bytes in hex or base64
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
        throw new UnsealError('not a sealed value of a known version')
      }
      const sealedBy = keys.find(({ id }) => bytes.subarray(keyIdAt, nonceAt).equals(id))
      if (sealedBy === undefined) throw new UnsealError('sealed under another ENCRYPTION_KEY')
      return unseal(sealedBy, bytes, context)
    },
    isCurrent: (sealed) => Buffer.from(sealed.subarray(keyIdAt, nonceAt)).equals(current.id),
  }
}

/**
 * Encrypts a value again with the current key. Returns `current` if the value is encrypted with the current
 * key already, and `foreign` if neither key can decrypt it.
 */
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

/** Returns the id of an encryption key in hex. Every value encrypted with the key contains this id. */
export function encryptionKeyId(encryptionKey: Secret): string {
  return keyIdOf(keyBytes(encryptionKey)).toString('hex')
}

/**
 * Returns an id that does not reveal the key. The id in an encrypted value shows with which key the value was
 * encrypted.
 */
function keyIdOf(bytes: Buffer): Buffer {
  return createHash('sha256').update('coffer/seal/key-id').update(bytes).digest().subarray(0, keyIdBytes)
}

function associated(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')])
}

/** Returns the 32 bytes of a key. @throws TypeError if the key is not 32 bytes in hex or base64 */
export function keyBytes(encryptionKey: Secret): Buffer {
  const text = encryptionKey.reveal()
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  if (bytes.length !== 32) throw new TypeError('ENCRYPTION_KEY must be 32 bytes, in hex or base64')
  return bytes
}
