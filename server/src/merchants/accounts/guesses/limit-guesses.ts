import { createHash } from 'node:crypto'
import { fail } from '../../../core/errors.ts'
import { networkOf } from '../../../core/network-address.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { waitS } from './guess.ts'
import { deleteGuess, deleteGuesses, failGuess, insertGuess, lockSource, readGuesses } from './store.ts'

export interface GuessAt {
  /** Who guesses; see `guesserAt`. */
  readonly source: string
  /** What is guessed at, such as the password of an email. */
  readonly subject: string
  /** Whose password it is about, if anyone's. */
  readonly accountId?: string | undefined
}

/** A stranger is known by the network alone: addresses within one are cheap. */
export function guesserAt(address: string): string {
  return networkOf(address)
}

/**
 * Lets a guess be made, and remembers it when it was wrong; one that was right clears those before it. Rows in the
 * database count, so that all processes see the same.
 * @param guess returns undefined when the guess was wrong
 * @param onWrong told how many wrong guesses of the last hour are about the same account
 * @throws Problem too-many-requests, and what `guess` throws; then the guess does not count
 */
export async function limitGuesses<T>(
  db: Db,
  { source, subject, accountId }: GuessAt,
  guess: () => Promise<T | undefined>,
  onWrong: (failures: number) => Promise<void> = async () => {},
): Promise<T | undefined> {
  const subjectHash = createHash('sha256').update(subject).digest().subarray(0, 4)
  const about = { source, subjectHash, accountId }
  // A look without the lock first: whoever floods is refused without standing in line.
  refuse(waitS(await readGuesses(db, about)))
  const id = await inTransaction(db, async (tx) => {
    await lockSource(tx, source)
    refuse(waitS(await readGuesses(tx, about)))
    return insertGuess(tx, about)
  })
  const outcome = await guess().catch(async (error: unknown) => {
    await deleteGuess(db, id)
    throw error
  })
  if (outcome === undefined) await onWrong(await failGuess(db, id))
  else await deleteGuesses(db, about)
  return outcome
}

function refuse(retryAfterS: number): void {
  if (retryAfterS === 0) return
  throw fail('too-many-requests', `Too many wrong tries. Wait ${retryAfterS} seconds, then try again.`, {
    retryAfterS,
  })
}
