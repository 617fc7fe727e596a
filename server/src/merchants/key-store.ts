import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import type { ApiKey } from './api-key.ts'

export interface KeyAccess {
  readonly merchantId: string
  readonly ipWhitelist: readonly string[]
}

/**
 * Returns the merchant and IP list of each key, by the key's hash in hex. The result has no entry for a key
 * that belongs to no merchant.
 */
export async function findKeyAccess(
  on: Queryable,
  keyHashes: readonly Buffer[],
): Promise<ReadonlyMap<string, KeyAccess>> {
  const rows = await on.query<KeyAccess & { hash: Buffer }>(
    named(
      'key_access',
      sql`
        select k.key_hash as hash, m.id as "merchantId", m.ip_whitelist as "ipWhitelist"
        from api_key k join merchant m on m.id = k.merchant_id
        where k.key_hash = any(${[...keyHashes]}::bytea[]) and m.deleted_at is null`,
    ),
  )
  return new Map(rows.map(({ hash, ...access }) => [hash.toString('hex'), access]))
}

/** Replaces the merchant's key. The previous key is invalid once the transaction commits. */
export async function replaceApiKey(tx: Tx, merchantId: string, keyHash: Buffer): Promise<Date> {
  const row = await one<{ created_at: Date }>(
    tx,
    sql`
      insert into api_key (merchant_id, key_hash) values (${merchantId}, ${keyHash})
      on conflict (merchant_id) do update set key_hash = excluded.key_hash, created_at = coffer_now(), last_used_at = null
      returning created_at`,
  )
  if (row === undefined) throw new Error('an upsert returned no row')
  return row.created_at
}

export async function findApiKey(on: Queryable, merchantId: string): Promise<ApiKey | undefined> {
  const row = await one<{ key_hash: Buffer; created_at: Date; last_used_at: Date | null }>(
    on,
    sql`select key_hash, created_at, last_used_at from api_key where merchant_id = ${merchantId}`,
  )
  if (row === undefined) return undefined
  return { hash: row.key_hash, createdAt: row.created_at, lastUsedAt: row.last_used_at ?? undefined }
}

/** Deletes the merchant's key and returns whether there was one. */
export async function deleteApiKey(tx: Tx, merchantId: string): Promise<boolean> {
  return (await one(tx, sql`delete from api_key where merchant_id = ${merchantId} returning 1`)) !== undefined
}

/**
 * Stores when keys were last used. The commit does not wait for the disk, because a crash loses only these
 * times. Deleted keys are skipped, and an earlier time never replaces a later one.
 */
export async function saveLastUsed(
  on: Queryable,
  uses: readonly { readonly hash: Buffer; readonly usedAt: Date }[],
): Promise<void> {
  await on.query(
    named(
      'save_last_used',
      sql`
        with quick as materialized (select set_config('synchronous_commit', 'off', true) as setting)
        update api_key k set last_used_at = greatest(k.last_used_at, k.created_at, used.at)
        from quick, unnest(${uses.map((use) => use.hash)}::bytea[], ${uses.map((use) => use.usedAt)}::timestamptz[])
          as used (hash, at)
        where k.key_hash = used.hash and quick.setting is not null`,
    ),
  )
}
