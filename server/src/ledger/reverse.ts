import { required } from '../core/assert.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { type Journal, journal, mirror } from './journal.ts'
import { post } from './post.ts'
import { findJournals } from './store.ts'

export interface Reversal {
  /** The subject of the journal to take back. */
  readonly subject: string
  readonly kind: string
  readonly newSubject: string
}

/**
 * Takes journals back by posting the exact mirror of each, in a fixed number of statements. A journal can be reversed
 * once.
 * @returns what was posted, in the order asked for.
 * @throws InvariantError for a subject that was never posted, OverdraftError, AlreadyPostedError.
 */
export async function reverse(tx: Tx, reversals: readonly Reversal[]): Promise<readonly Journal[]> {
  const mirrors = await mirrorsOf(tx, reversals)
  await post(tx, mirrors)
  return mirrors
}

/**
 * The exact mirrors of stored journals, in the order asked for, to be posted.
 * @throws InvariantError for a subject that was never posted
 */
export async function mirrorsOf(tx: Tx, reversals: readonly Reversal[]): Promise<readonly Journal[]> {
  if (reversals.length === 0) return []
  const originals = await findJournals(
    tx,
    reversals.map(({ subject }) => subject),
  )
  const bySubject = new Map(originals.map((original) => [original.subject, original]))
  return reversals.map(({ subject, kind, newSubject }) => {
    const original = required(bySubject.get(subject), `the journal ${subject} to reverse`)
    return mirror(journal(original), { kind, subject: newSubject })
  })
}
