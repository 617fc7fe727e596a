import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'

/**
 * Stores the fingerprint of the xpub whose keys the signer has. From then on, no address of another xpub is
 * assigned.
 */
export async function saveAttestedXpub(on: Queryable, family: string, fingerprint: string): Promise<void> {
  await on.query(sql`
    insert into attested_xpub (family, xpub_fingerprint) values (${family}, ${fingerprint})
    on conflict (family) do update set xpub_fingerprint = excluded.xpub_fingerprint, attested_at = coffer_now()
    where attested_xpub.xpub_fingerprint <> excluded.xpub_fingerprint`)
}

/**
 * Stores the public key that verifies the signer's statements. There is only one such key, because it is
 * derived from the seed of the outgoing wallets.
 */
export async function saveStatementKey(on: Queryable, publicKey: string): Promise<void> {
  await on.query(sql`
    insert into attested_statement_key (public_key) values (${publicKey})
    on conflict (only_row) do update set public_key = excluded.public_key, attested_at = coffer_now()
    where attested_statement_key.public_key <> excluded.public_key`)
}

/** Returns the public key of the signer's statements; undefined if no signer has attested it yet. */
export async function readStatementKey(on: Queryable): Promise<string | undefined> {
  const row = await one<{ public_key: string }>(on, sql`select public_key from attested_statement_key`)
  return row?.public_key
}
