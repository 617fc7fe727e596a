/**
 * The keystore is a file with the seed. The words of the seed are encrypted with AES-256-GCM under a key that
 * scrypt derives from a passphrase. The parameters and the fingerprints of the keys are in clear text. The
 * cipher's tag authenticates this text.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'

export interface KeystoreFile {
  readonly version: 1
  readonly kdf: Kdf
  readonly cipher: { readonly name: 'aes-256-gcm'; readonly nonce: string }
  /**
   * Fingerprints of the account xpubs of deposit addresses, by family. They identify a keystore without
   * decrypting it.
   */
  readonly fingerprints: { readonly evm: string }
  readonly createdAt: string
  /** Ciphertext and tag, in hex. */
  readonly sealed: string
}

export interface Kdf {
  readonly name: 'scrypt'
  readonly N: number
  readonly r: number
  readonly p: number
  /** The salt of scrypt, in hex. */
  readonly salt: string
}

/** OWASP's parameters for scrypt. Each attempt needs 128 MiB of memory. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const
/** Maximum parameters that a file may state, so that an altered file cannot use up all memory. */
const costMax = { N: 2 ** 20, r: 16, p: 4 } as const
const saltBytes = 16
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

export const passphraseCharsMin = 12

/** Thrown if the passphrase is wrong or the file was altered. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError'
}

export interface SealKeystoreParts {
  readonly mnemonic: string
  readonly passphrase: string
  readonly depositXpub: string
  readonly now: Date
}

export async function sealKeystore(parts: SealKeystoreParts): Promise<KeystoreFile> {
  const kdf: Kdf = { name: 'scrypt', ...cost, salt: randomBytes(saltBytes).toString('hex') }
  const nonce = randomBytes(nonceBytes)
  const clear: Omit<KeystoreFile, 'sealed'> = {
    version: 1,
    kdf,
    cipher: { name: 'aes-256-gcm', nonce: nonce.toString('hex') },
    fingerprints: { evm: xpubFingerprint(parts.depositXpub) },
    createdAt: parts.now.toISOString(),
  }
  const cipher = createCipheriv('aes-256-gcm', await stretch(parts.passphrase, kdf), nonce)
  cipher.setAAD(associated(clear))
  const sealed = Buffer.concat([cipher.update(parts.mnemonic, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { ...clear, sealed: sealed.toString('hex') }
}

/**
 * Returns the mnemonic words in a keystore.
 * @throws KeystoreError if the passphrase is wrong or the file was altered
 */
export async function openKeystore(file: KeystoreFile, passphrase: string): Promise<string> {
  const key = await stretch(passphrase, file.kdf)
  const sealed = Buffer.from(file.sealed, 'hex')
  const nonce = Buffer.from(file.cipher.nonce, 'hex')
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(associated(file)).setAuthTag(sealed.subarray(-tagBytes))
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
    return text.toString('utf8')
  } catch {
    throw new KeystoreError('The passphrase is wrong, or the keystore was altered')
  }
}

/**
 * Parses a keystore.
 * @throws KeystoreError if the text is not a keystore of a known version.
 */
export function readKeystore(text: string, path: string): KeystoreFile {
  const value = jsonOf(text)
  if (!isKeystore(value)) throw new KeystoreError(`${path} is not a keystore of a known version`)
  return value
}

export function keystoreText(file: KeystoreFile): string {
  return `${JSON.stringify(file, null, 2)}\n`
}

async function stretch(passphrase: string, { N, r, p, salt }: Kdf): Promise<Buffer> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  const options = { N, r, p, maxmem: 256 * N * r }
  return derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), keyBytes, options)
}

function associated({ version, kdf, cipher, fingerprints, createdAt }: Omit<KeystoreFile, 'sealed'>): Buffer {
  const { name, N, r, p, salt } = kdf
  const clear = [version, name, N, r, p, salt, cipher.name, cipher.nonce, fingerprints.evm, createdAt]
  return Buffer.from(JSON.stringify(['coffer/keystore', ...clear]))
}

const hex = /^([0-9a-f]{2})+$/

function isKeystore(value: unknown): value is KeystoreFile {
  const file = value as Partial<KeystoreFile> | null | undefined
  const { kdf, cipher, fingerprints } = file ?? {}
  if (file?.version !== 1 || kdf?.name !== 'scrypt' || cipher?.name !== 'aes-256-gcm') return false
  const isSane = isUpTo(kdf.N, costMax.N) && isUpTo(kdf.r, costMax.r) && isUpTo(kdf.p, costMax.p)
  const texts: unknown[] = [kdf.salt, cipher.nonce, fingerprints?.evm, file.sealed]
  const isHex = texts.every((one) => typeof one === 'string' && hex.test(one))
  const hasTag = typeof file.sealed === 'string' && file.sealed.length > 2 * tagBytes
  return (
    isSane && isHex && hasTag && cipher.nonce.length === 2 * nonceBytes && typeof file.createdAt === 'string'
  )
}

function isUpTo(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
}

/** Parses JSON; returns undefined if the text is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
