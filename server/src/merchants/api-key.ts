import { createHash } from 'node:crypto'
import { randomBytes } from '../core/chance.ts'

/** What is stored of a merchant's API key. The key itself is not stored. */
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
 * Returns a new key: `ck_`, 256 random bits and a checksum, in hex. Leak scanners find keys by the prefix.
 * With the checksum, invalid keys are rejected without a database query.
 */
export function newApiKey(): string {
  const secret = randomBytes(32).toString('hex')
  return `${prefix}${secret}${checksum(secret)}`
}

/** Returns the SHA-256 hash under which a key is stored; undefined if the text cannot be an API key. */
export function apiKeyHash(key: string): Buffer | undefined {
  if (!keyPattern.test(key)) return undefined
  const secret = key.slice(prefix.length, prefix.length + secretHexChars)
  if (key.slice(prefix.length + secretHexChars) !== checksum(secret)) return undefined
  return createHash('sha256').update(key).digest()
}

function checksum(secret: string): string {
  return createHash('sha256').update('coffer/api-key').update(secret).digest('hex').slice(0, checksumHexChars)
}
