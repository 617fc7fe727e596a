/**
 * Applies tamperings to the same books one after the other, each in a transaction that is rolled back after
 * the check.
 */
import sql, { raw } from 'sql-template-tag'
import { assert } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { genesisHash, sealHash } from '../../src/ledger/seal.ts'
import { findSealed } from '../../src/ledger/store.ts'
import type { Outcome, Snapshot } from '../../src/oversight/verify/invariant.ts'
import { chainInvariantsOf, invariants } from '../../src/oversight/verify/verify.ts'
import { appRole } from '../../src/platform/db/embedded/provision.ts'
import { type Db, openDb, type Statement } from '../../src/platform/db/pool.ts'
import { inTransaction, type Tx } from '../../src/platform/db/transaction.ts'
import { testMacs } from '../support/books-macs.ts'
import type { StoryBooks } from './tampering-story.ts'
import { retotal, type Tampering } from './tampering-table.ts'

class Undone extends Error {}

export interface Tamperer {
  /** Returns the invariants that find the tampering, in the order in which verify reports them. */
  foundAfter(tampering: Tampering): Promise<readonly string[]>
  close(): Promise<void>
}

export function openTamperer(books: StoryBooks): Tamperer {
  const superuser = openDb({
    url: books.flow.database.urls.superuser,
    connections: 1,
    log: silentLog,
    macs: testMacs,
  })
  return {
    foundAfter: (tampering) => foundAfter(superuser, books, tampering),
    close: () => superuser.close(),
  }
}

async function foundAfter(
  superuser: Db,
  books: StoryBooks,
  tampering: Tampering,
): Promise<readonly string[]> {
  const { flow, story, attested } = books
  const chain = { reader: flow.reader, sender: flow.sender }
  const found: string[] = []
  const comparisons: { readonly id: string; readonly compare: () => Promise<Outcome> }[] = []
  await undone(superuser, async (tx) => {
    await tamper(tx, tampering, tampering.statements(story))
    const snapshot: Snapshot = { on: tx, methods: flow.shop.methods, attested }
    for (const { id, check } of invariants) {
      const { findings } = await check(snapshot)
      if (findings.length > 0) found.push(id)
    }
    for (const invariant of chainInvariantsOf(chain)) {
      const compare = await invariant.prepare(snapshot)
      comparisons.push({ id: invariant.id, compare: () => compare(chain, new AbortController().signal) })
    }
  })
  for (const { id, compare } of comparisons) {
    const { findings } = await compare()
    if (findings.length > 0) found.push(id)
  }
  return found
}

/** Runs `work` and rolls everything back. */
async function undone(db: Db, work: (tx: Tx) => Promise<void>): Promise<void> {
  const ending = inTransaction(db, async (tx) => {
    await work(tx)
    throw new Undone()
  })
  await ending.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}

/**
 * Changes rows in the role that the tampering names. A change that the table assigns to a superuser must be
 * impossible for the service role.
 */
async function tamper(
  tx: Tx,
  { by, isResealed }: Tampering,
  statements: readonly Statement[],
): Promise<void> {
  if (by === 'app role') return runAsApp(tx, statements)
  await expectRefusedToApp(tx, statements)
  await tx.query(sql`set local session_replication_role = replica`)
  for (const statement of statements) await tx.query(statement)
  if (isResealed) await reseal(tx)
  await tx.query(sql`set local session_replication_role = origin`)
}

/** Runs statements as the service role, with its grants, every trigger and every constraint. */
async function runAsApp(tx: Tx, statements: readonly Statement[]): Promise<void> {
  await tx.query(raw(`set local role ${appRole}`))
  for (const statement of statements) await tx.query(statement)
  await tx.query(sql`set constraints all immediate`)
  await tx.query(sql`reset role`)
}

async function expectRefusedToApp(tx: Tx, statements: readonly Statement[]): Promise<void> {
  await tx.query(sql`savepoint before`)
  const rejection = await runAsApp(tx, statements).catch((error: unknown) => error)
  assert(rejection !== undefined, 'the role of the service could do it as well')
  await tx.query(sql`rollback to savepoint before`)
}

/** Makes totals match the lines, and computes every seal again from the first one on. */
async function reseal(tx: Tx): Promise<void> {
  await tx.query(retotal)
  let hash = genesisHash
  for (const { seal, journal } of await findSealed(tx, 1, 1_000_000)) {
    hash = sealHash(hash, seal.sequence, journal)
    await tx.query(sql`update journal_seal set hash = ${hash} where sequence = ${seal.sequence}`)
  }
}
