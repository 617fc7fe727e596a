import { required } from '../core/assert.ts'
import { fail } from '../core/errors.ts'
import { recordAudit } from '../platform/audit/store.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { type ApiKey, apiKeyHash, newApiKey } from './api-key.ts'
import { deleteApiKey, findApiKey, replaceApiKey } from './key-store.ts'
import type { LastUsed } from './last-used.ts'

export interface KeyOwner {
  readonly accountId: string
  readonly merchantId: string
}

/** Number of bytes of a key's hash in the audit log. Two keys practically never have the same 8 bytes. */
const fingerprintBytes = 8

/**
 * Replaces the merchant's key by a new key. From now on, every process rejects the previous key. The new key
 * is returned only here.
 */
export async function generateApiKey(
  db: Db,
  { accountId, merchantId }: KeyOwner,
): Promise<{ readonly key: string; readonly createdAt: Date }> {
  const key = newApiKey()
  const hash = required(apiKeyHash(key), 'the hash of a new key')
  const createdAt = await inTransaction(db, async (tx) => {
    const madeAt = await replaceApiKey(tx, merchantId, hash)
    // `coffer verify` uses the fingerprint to detect a key that was replaced directly in the database.
    const details = { fingerprint: hash.subarray(0, fingerprintBytes).toString('hex') }
    const entry = { accountId, merchantId, subject: merchantId, details }
    await recordAudit(tx, { ...entry, action: 'api_key.generated' })
    return madeAt
  })
  return { key, createdAt }
}

/** Revokes the merchant's key, if it has one. */
export async function revokeApiKey(db: Db, { accountId, merchantId }: KeyOwner): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteApiKey(tx, merchantId))) return
    await recordAudit(tx, { accountId, merchantId, action: 'api_key.revoked', subject: merchantId })
  })
}

/**
 * Returns the merchant's key. The time of its last use includes uses that are not stored yet.
 * @throws Problem `not-found` if the merchant has no key.
 */
export async function readApiKey(
  { db, lastUsed }: { readonly db: Db; readonly lastUsed: LastUsed },
  merchantId: string,
): Promise<ApiKey> {
  const key = await findApiKey(db, merchantId)
  if (key === undefined) throw fail('not-found', 'The merchant has no API key.')
  const lastUsedAt = later(key.lastUsedAt, lastUsed.pending(key.hash))
  // The use is timed by this host's clock, the creation by the database's clock. If the use seems earlier
  // than the creation, the time of the creation is returned.
  return { ...key, lastUsedAt: lastUsedAt === undefined ? undefined : later(lastUsedAt, key.createdAt) }
}

function later(a: Date | undefined, b: Date | undefined): Date | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a > b ? a : b
}
