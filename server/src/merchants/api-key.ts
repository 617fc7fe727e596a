import { createHash, randomBytes } from 'node:crypto'

/** A merchant's key as it is known after it was made: the value itself is not kept. */
export interface ApiKey {
  readonly hash: Buffer
  readonly createdAt: Date
  readonly lastUsedAt: Date | undefined
}

const prefix = 'ck_'
const secretHexChars = 64
const checksumHexChars = 8
const keyPattern = /^ck_[0-9a-f]{72}$/

/**
 * A new key: `ck_`, 256 random bits and a checksum, in hex. The prefix lets leak scanners find it, the checksum lets
 * us refuse junk without asking the database.
 */
export function newApiKey(): string {
  const secret = randomBytes(32).toString('hex')
  return `${prefix}${secret}${checksum(secret)}`
}

/** The SHA-256 under which a key is stored; undefined for what cannot be one of ours. */
export function apiKeyHash(key: string): Buffer | undefined {
  if (!keyPattern.test(key)) return undefined
  const secret = key.slice(prefix.length, prefix.length + secretHexChars)
  if (key.slice(prefix.length + secretHexChars) !== checksum(secret)) return undefined
  return createHash('sha256').update(key).digest()
}

function checksum(secret: string): string {
  return createHash('sha256').update('coffer/api-key').update(secret).digest('hex').slice(0, checksumHexChars)
}
