/**
 * Gives books of before MACs theirs, so that an installation with money in it can be brought to this version. A MAC says that a
 * process of ours wrote a row; of these rows nobody can say so any more. What can be said is that they hold together and agree with
 * the chain, which is why everything that verify looks at must be in order first.
 */

import type { BooksMacs } from '../../core/books-macs.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import { type Db, withMacs } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { VerifyReport } from '../verify/report.ts'
import { invariants, type VerifyParts, verify } from '../verify/verify.ts'
import { findUnnamedSources, guardAgain, mayTakeLong, openForMacs, readTraces } from './adoption-store.ts'
import { noteBooksKey, readBooksKeys } from './books-key-store.ts'
import { macAddresses, macAttributions, macClaims, macDeposits, macQuotes } from './mac-store.ts'
import { macAndReseal } from './reseal.ts'

export interface AdoptParts extends Omit<VerifyParts, 'db'> {
  /** As the role that owns the tables: what is posted can be changed by nobody else. */
  readonly owner: Db
  readonly macs: BooksMacs
  /** Of the key under which they will carry MACs. */
  readonly keyId: string
  readonly reason: string
}

export interface Adopted {
  readonly journals: number
  readonly deposits: number
  readonly quotes: number
  readonly addresses: number
  readonly claims: number
  readonly attributions: number
  /** Sources of capital that were named before the audit log kept that: whoever adopts the books says that they are the operator's. */
  readonly capitalSources: readonly string[]
  /** Of the sealed history, in hex, before its seals covered MACs. */
  readonly formerHead: string
  readonly head: string
}

/** The books cannot be adopted as they are; the message says why, and nothing was changed. */
export class NotAdoptableError extends Error {
  override readonly name = 'NotAdoptableError'
}

/** What older books cannot be: by the rule of before where it begins the adoption looks at it itself, and by these where it ends. */
function isCheckedApart(id: string): boolean {
  return id === 'M17' || id === 'M23-capital' || id.startsWith('M21-')
}

/**
 * One transaction, after a full verify that compares with the chain too: whatever fails, the books stay as they were.
 * @throws NotAdoptableError, BrokenHistoryError
 */
export async function adoptBooks(parts: AdoptParts): Promise<Adopted> {
  const { owner, macs, keyId, reason } = parts
  await inTransaction(owner, refuseUnlikeBefore)
  refuseBroken(await verify({ ...parts, db: withoutMacs(owner) }))
  return inTransaction(withMacs(owner, macs), async (tx) => {
    await openForMacs(tx)
    await refuseUnlikeBefore(tx)
    // Once more under the locks: what was verified may have been changed since by somebody else than us.
    await checkRows(tx, parts, (id) => !isCheckedApart(id))
    const history = await macAndReseal(tx)
    const counts = {
      deposits: await macDeposits(tx),
      quotes: await macQuotes(tx),
      addresses: await macAddresses(tx),
      claims: await macClaims(tx),
      attributions: await macAttributions(tx),
      capitalSources: await nameCapitalSources(tx, reason),
    }
    await checkRows(tx, parts, isCheckedApart)
    await guardAgain(tx)
    await noteBooksKey(tx, keyId)
    const adopted = { ...history, ...counts }
    await recordAudit(tx, { action: 'books.adopted', subject: keyId, details: { ...adopted, reason } })
    return adopted
  })
}

function withoutMacs(db: Db): Db {
  return { ...db, macs: undefined }
}

/** @throws NotAdoptableError where these are no books of before, or an order of before is pending */
async function refuseUnlikeBefore(tx: Tx): Promise<void> {
  await mayTakeLong(tx)
  const { ids, hasBooks } = await readBooksKeys(tx)
  if (!hasBooks) throw new NotAdoptableError('There are no books yet: just start Coffer.')
  if (ids.length > 0) {
    throw new NotAdoptableError(
      `These books carry MACs under keys of their own already (${ids.join(', ')}): adopting is for those that never did.`,
    )
  }
  const { hasMacs, hasHeads, pending } = await readTraces(tx)
  if (hasMacs || hasHeads) {
    throw new NotAdoptableError(
      'Some of these books carry MACs, or heads that the signer countersigned, and no key of theirs is noted: somebody took ' +
        'it out. Put back a backup, or the row of books_key.',
    )
  }
  if (pending > 0) {
    throw new NotAdoptableError(
      `${pending} withdrawals are pending that were ordered before orders were signed, and would never be paid: put the ` +
        'backup back into the older Coffer, let them end there, and migrate again.',
    )
  }
}

/** @returns those that no entry of the audit log names, each of which has one from now on */
async function nameCapitalSources(tx: Tx, reason: string): Promise<readonly string[]> {
  const subjects = await findUnnamedSources(tx)
  for (const subject of subjects)
    await recordAudit(tx, { action: 'treasury.capital_source_added', subject, details: { reason } })
  return subjects
}

function refuseBroken({ entries }: VerifyReport): void {
  const broken = entries.filter(({ id, ok }) => !ok && !isCheckedApart(id)).map(({ id }) => id)
  if (broken.length === 0) return
  throw new NotAdoptableError(
    `The books are not in order (${broken.join(', ')}, told above), and nothing was changed: what is wrong would count as right from then on.`,
  )
}

async function checkRows(
  tx: Tx,
  { methods, attested }: AdoptParts,
  isMeant: (id: string) => boolean,
): Promise<void> {
  for (const invariant of invariants.filter(({ id }) => isMeant(id))) {
    const { findings } = await invariant.check({ on: tx, methods, attested })
    if (findings.length > 0) throw new NotAdoptableError(`${invariant.id}: ${findings.join('; ')}`)
  }
}
