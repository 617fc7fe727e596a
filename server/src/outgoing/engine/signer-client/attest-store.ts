import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'

/** Notes whose deposit addresses the signer has keys of; addresses of no other account are given away then. */
export async function saveAttestedXpub(on: Queryable, family: string, fingerprint: string): Promise<void> {
  await on.query(sql`
    insert into attested_xpub (family, xpub_fingerprint) values (${family}, ${fingerprint})
    on conflict (family) do update set xpub_fingerprint = excluded.xpub_fingerprint, attested_at = now()
    where attested_xpub.xpub_fingerprint <> excluded.xpub_fingerprint`)
}

/** Notes the key of the signer's statements; there is one, of the seed that payouts are made from. */
export async function saveStatementKey(on: Queryable, publicKey: string): Promise<void> {
  await on.query(sql`
    insert into attested_statement_key (public_key) values (${publicKey})
    on conflict (only_row) do update set public_key = excluded.public_key, attested_at = now()
    where attested_statement_key.public_key <> excluded.public_key`)
}

/** Undefined where no signer was attested yet. */
export async function readStatementKey(on: Queryable): Promise<string | undefined> {
  const row = await one<{ public_key: string }>(on, sql`select public_key from attested_statement_key`)
  return row?.public_key
}
