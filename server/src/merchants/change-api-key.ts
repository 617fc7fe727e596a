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

/** Of the hash of a key: enough that no two keys share it. */
const fingerprintBytes = 8

/** A new key in the place of the present one, which is refused everywhere from now on. The only time it is told. */
export async function generateApiKey(
  db: Db,
  { accountId, merchantId }: KeyOwner,
): Promise<{ readonly key: string; readonly createdAt: Date }> {
  const key = newApiKey()
  const hash = required(apiKeyHash(key), 'the hash of a new key')
  const createdAt = await inTransaction(db, async (tx) => {
    const madeAt = await replaceApiKey(tx, merchantId, hash)
    // By it verify tells this key from one that somebody put in its place.
    const details = { fingerprint: hash.subarray(0, fingerprintBytes).toString('hex') }
    const entry = { accountId, merchantId, subject: merchantId, details }
    await recordAudit(tx, { ...entry, action: 'api_key.generated' })
    return madeAt
  })
  return { key, createdAt }
}

/** Ends the merchant's key, if it has one. */
export async function revokeApiKey(db: Db, { accountId, merchantId }: KeyOwner): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteApiKey(tx, merchantId))) return
    await recordAudit(tx, { accountId, merchantId, action: 'api_key.revoked', subject: merchantId })
  })
}

/** The merchant's key, its last use included that is not written yet. @throws Problem not-found without a key */
export async function readApiKey(
  { db, lastUsed }: { readonly db: Db; readonly lastUsed: LastUsed },
  merchantId: string,
): Promise<ApiKey> {
  const key = await findApiKey(db, merchantId)
  if (key === undefined) throw fail('not-found', 'The merchant has no API key.')
  const lastUsedAt = later(key.lastUsedAt, lastUsed.pending(key.hash))
  // Two clocks tell the two times; a key is not used before it is made.
  return { ...key, lastUsedAt: lastUsedAt === undefined ? undefined : later(lastUsedAt, key.createdAt) }
}

function later(a: Date | undefined, b: Date | undefined): Date | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a > b ? a : b
}
