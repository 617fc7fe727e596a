/**
 * Signs entries with the operator's key in this page. The key is read from a file, used once and not kept. It is never
 * sent to the server.
 */

import { ShownError } from '../../shown-error.ts'

/** PKCS #8 puts these bytes before the 32 bytes of an Ed25519 seed (RFC 8410). */
const prefix = bytesOfHex('302e020100300506032b657004220420')
const seedBytes = 32
const signsEd25519 = { name: 'Ed25519' } as const

/** Thrown if a file has no key that this page can use. The message says what to do. */
export class KeyFileError extends ShownError {
  override readonly name = 'KeyFileError'
}

/** Whether this browser signs with Ed25519, which also needs a page over HTTPS or from this machine. */
export async function canSign(): Promise<boolean> {
  try {
    await importKey(new Uint8Array(seedBytes))
    return true
  } catch {
    return false
  }
}

/**
 * Returns a function that signs a text as `coffer networks` does: it returns the id of the key, a dot, and the signature
 * in base64url.
 * @param file the text of the key file: 64 hex digits, or an Ed25519 key in PEM (PKCS #8)
 * @throws KeyFileError if the file has no such key
 */
export async function openSigner(file: string): Promise<(text: string) => Promise<string>> {
  const key = await importKey(readSeed(file))
  const { x = '' } = await crypto.subtle.exportKey('jwk', key)
  const digest = await crypto.subtle.digest('SHA-256', bytesOfBase64(x))
  const id = hexOf(new Uint8Array(digest).subarray(0, 4))
  return async (text) => {
    const signature = await crypto.subtle.sign(signsEd25519, key, new TextEncoder().encode(text))
    return `${id}.${base64Of(new Uint8Array(signature))}`
  }
}

function readSeed(file: string): Uint8Array {
  const text = file.trim()
  if (/^[0-9a-f]{64}$/i.test(text)) return bytesOfHex(text)
  const [, pem] = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/.exec(text) ?? []
  const bytes = bytesOfPem(pem ?? '')
  if (bytes.length === prefix.length + seedBytes && prefix.every((byte, index) => bytes[index] === byte))
    return bytes.subarray(prefix.length)
  throw new KeyFileError('This is no key file of “coffer networks key”: choose the file OPERATOR_KEY_FILE.')
}

/** Returns no bytes for a text that is not base64. */
function bytesOfPem(text: string): Uint8Array {
  try {
    return bytesOfBase64(text.replaceAll(/\s/g, ''))
  } catch {
    return new Uint8Array()
  }
}

/** The key can be exported, because its public half identifies it in the signature. */
function importKey(seed: Uint8Array): Promise<CryptoKey> {
  const pkcs8 = new Uint8Array([...prefix, ...seed])
  return crypto.subtle.importKey('pkcs8', pkcs8, signsEd25519, true, ['sign'])
}

function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((text.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)))
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (character) => character.charCodeAt(0))
}

function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
