/** Changes that a superuser makes to sealed books, and the invariants that find them. */
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { openDb, type Statement } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { TestDatabase } from '../support/database.ts'
import { methods, useSealedBooks } from './healthy-books.ts'

export interface Tampering {
  readonly what: string
  readonly by: readonly Statement[]
  /** Exactly the invariants that must find it. */
  readonly foundBy: readonly string[]
}

/** Changes rows as somebody who can disable triggers and constraints. */
export async function tamper(database: TestDatabase, statements: readonly Statement[]): Promise<void> {
  const superuser = openDb({ url: database.urls.superuser, connections: 1, log: silentLog })
  try {
    await inTransaction(superuser, async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`)
      for (const statement of statements) await tx.query(statement)
    })
  } finally {
    await superuser.close()
  }
}

/**
 * Applies each tampering to books of its own. Verify has no keys of the books here, so it finds only what the
 * rows themselves show.
 */
export function describeTamperings(tamperings: readonly Tampering[]): void {
  describe.each(tamperings)('verify, after a superuser changed $what,', ({ by, foundBy }) => {
    const database = useSealedBooks()

    it(`finds it by ${foundBy.join(', ')}`, async () => {
      await tamper(database, by)
      const lines: string[] = []
      const db = { ...database.db, macs: undefined }
      const report = await verify({ db, methods, report: (line) => lines.push(line) })
      const found = report.entries.filter(({ ok }) => !ok).map(({ id }) => id)
      expect(found, lines.join('\n')).toEqual(foundBy)
      expect(report.ok).toBe(false)
    })
  })
}
