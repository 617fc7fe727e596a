import sql from 'sql-template-tag'
import { one, type Queryable } from './pool.ts'

/**
 * Notes the id of the ENCRYPTION_KEY that this database is sealed with, unless one is noted already.
 * @returns the one that is noted, for all who start at once the same.
 */
export async function noteEncryptionKeyId(on: Queryable, keyId: string): Promise<string> {
  await on.query(
    sql`insert into key_fingerprint (encryption_key_id) values (${keyId}) on conflict do nothing`,
  )
  const row = await one<{ id: string }>(on, sql`select encryption_key_id as id from key_fingerprint`)
  return row?.id ?? keyId
}
