import sql from 'sql-template-tag'
import type { Queryable } from '../db/pool.ts'

/** Notes whose deposit addresses the signer has keys of; addresses of no other account are given away then. */
export async function saveAttestedXpub(on: Queryable, family: string, fingerprint: string): Promise<void> {
  await on.query(sql`
    insert into attested_xpub (family, xpub_fingerprint) values (${family}, ${fingerprint})
    on conflict (family) do update set xpub_fingerprint = excluded.xpub_fingerprint, attested_at = now()
    where attested_xpub.xpub_fingerprint <> excluded.xpub_fingerprint`)
}
