/** Records the id of the ENCRYPTION_KEY of this database, and of the new key during a change of keys. */
import sql from 'sql-template-tag'
import { one, type Queryable } from './pool.ts'

export interface NotedKeys {
  readonly current: string
  /** The id of the new key during a change of keys. Some values may be encrypted with it already. */
  readonly next: string | undefined
}

/**
 * Records `keyId` as the id of this database's encryption key if none is recorded yet. If the recorded id is
 * `formerId`, starts a change of keys to `keyId`. Call it before anything is encrypted with the new key.
 * @returns the recorded ids; processes that start at the same time get the same ids
 */
export async function noteEncryptionKeys(
  on: Queryable,
  keyId: string,
  formerId: string | undefined,
): Promise<NotedKeys> {
  await on.query(
    sql`insert into key_fingerprint (encryption_key_id) values (${keyId}) on conflict do nothing`,
  )
  if (formerId !== undefined && formerId !== keyId) {
    await on.query(sql`
      update key_fingerprint set next_encryption_key_id = ${keyId}
      where encryption_key_id = ${formerId} and next_encryption_key_id is null`)
  }
  const row = await one<{ current: string; next: string | null }>(
    on,
    sql`select encryption_key_id as current, next_encryption_key_id as next from key_fingerprint`,
  )
  return { current: row?.current ?? keyId, next: row?.next ?? undefined }
}

/** Ends a change of keys, after every value was encrypted with the key `keyId`. */
export async function endKeyChange(on: Queryable, keyId: string): Promise<void> {
  await on.query(sql`
    update key_fingerprint set encryption_key_id = ${keyId}, next_encryption_key_id = null
    where ${keyId} in (encryption_key_id, next_encryption_key_id)`)
}
