/**
 * Imitates a superuser who changes a journal and then recomputes every seal, so that the hash chain is valid
 * again.
 */
import sql from 'sql-template-tag'
import { silentLog } from '../../src/core/log.ts'
import { genesisHash, sealHash } from '../../src/ledger/seal.ts'
import { findSealed } from '../../src/ledger/store.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { TestDatabase } from './database.ts'

/** Gives the first journal another subject, or its former one if `suffix` is empty. */
export async function rewriteHistory(database: TestDatabase, suffix: string): Promise<void> {
  const superuser = openDb({ url: database.urls.superuser, connections: 1, log: silentLog })
  try {
    await inTransaction(superuser, async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`)
      await tx.query(sql`
        update journal set subject = split_part(subject, '~', 1) || ${suffix}
        where id = (select journal_id from journal_seal order by sequence limit 1)`)
      let hash = genesisHash
      for (const { seal, journal } of await findSealed(tx, 1, 1_000_000)) {
        hash = sealHash(hash, seal.sequence, journal)
        await tx.query(sql`update journal_seal set hash = ${hash} where sequence = ${seal.sequence}`)
      }
    })
  } finally {
    await superuser.close()
  }
}
