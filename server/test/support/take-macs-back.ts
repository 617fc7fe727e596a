/** Makes books of before out of books of now: without MACs, and under the seals that they had when seals covered none. */
import sql from 'sql-template-tag'
import { silentLog } from '../../src/core/log.ts'
import { genesisHash } from '../../src/ledger/seal.ts'
import { findSealed } from '../../src/ledger/store.ts'
import { formerSealHash } from '../../src/oversight/adoption/reseal.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'

const withoutMacs = [
  sql`update journal set mac = ''`,
  sql`update transaction set mac = ''`,
  sql`update quote set mac = ''`,
  sql`update address set assignment_mac = null`,
  sql`update attribution set mac = ''`,
  sql`update invoice set claim_mac = null`,
  sql`delete from books_key`,
  sql`delete from seal_countersignature`,
  sql`delete from proven_books`,
]

/** @param url as a superuser */
export async function takeMacsBack(url: string): Promise<void> {
  const superuser = openDb({ url, connections: 1, log: silentLog })
  try {
    await inTransaction(superuser, async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`)
      for (const statement of withoutMacs) await tx.query(statement)
      let hash = genesisHash
      for (const { seal, journal } of await findSealed(tx, 1, 1_000_000)) {
        hash = formerSealHash(hash, seal.sequence, journal)
        await tx.query(sql`update journal_seal set hash = ${hash} where sequence = ${seal.sequence}`)
      }
    })
  } finally {
    await superuser.close()
  }
}
