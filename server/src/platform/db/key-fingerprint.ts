/** Which ENCRYPTION_KEY this database is sealed with, and which one it is being changed to. */
import sql from 'sql-template-tag'
import { one, type Queryable } from './pool.ts'

export interface NotedKeys {
  readonly current: string
  /** Things may be sealed under it already. */
  readonly next: string | undefined
}

/**
 * Notes the id of the key that this database is sealed with, unless one is noted already, and begins a change to
 * `keyId` where the noted one is `formerId`: before the new key seals anything.
 * @returns what is noted, for all who start at once the same.
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

/** Ends a change: all is sealed under `keyId` alone. */
export async function endKeyChange(on: Queryable, keyId: string): Promise<void> {
  await on.query(sql`
    update key_fingerprint set encryption_key_id = ${keyId}, next_encryption_key_id = null
    where ${keyId} in (encryption_key_id, next_encryption_key_id)`)
}
