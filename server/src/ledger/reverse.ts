import { required } from '../core/assert.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { type Journal, journal, mirror } from './journal.ts'
import { post } from './post.ts'
import { findJournals } from './store.ts'

export interface Reversal {
  /** Subject of the journal to reverse. */
  readonly subject: string
  readonly kind: string
  readonly newSubject: string
}

/**
 * Reverses stored journals: for each, posts a journal with debits and credits swapped. The number of SQL
 * statements is fixed. A journal can be reversed only once.
 * @returns the posted journals, in the order of `reversals`.
 * @throws InvariantError if no journal was posted for one of the subjects.
 * @throws OverdraftError if merchant accounts would fall below zero.
 * @throws AlreadyPostedError if a journal was reversed before.
 */
export async function reverse(tx: Tx, reversals: readonly Reversal[]): Promise<readonly Journal[]> {
  const mirrors = await mirrorsOf(tx, reversals)
  await post(tx, mirrors)
  return mirrors
}

/**
 * Returns the journals that reverse stored journals exactly, in the order of `reversals`. Does not post the
 * returned journals.
 * @throws InvariantError if no journal was posted for one of the subjects.
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
