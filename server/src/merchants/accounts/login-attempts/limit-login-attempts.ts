import { createHash } from 'node:crypto'
import { fail } from '../../../core/errors.ts'
import { networkOf } from '../../../core/network-address.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { waitS } from './login-attempt.ts'
import {
  deleteLoginAttempt,
  deleteLoginAttempts,
  failLoginAttempt,
  insertLoginAttempt,
  lockSource,
  readLoginAttempts,
} from './store.ts'

export interface AttemptSubject {
  /** Origin of the attempt; see `attemptSource`. */
  readonly source: string
  /** Identifies the secret that is tried. For a password, this is the email. */
  readonly subject: string
  /** The account to which the secret belongs; undefined if there is no such account. */
  readonly accountId?: string | undefined
}

/**
 * Returns the source of attempts without authentication. The source is the client's network and not its
 * address, because one client can easily get many addresses of one network.
 */
export function attemptSource(address: string): string {
  return networkOf(address)
}

/**
 * Runs an attempt and records the attempt if it fails. A successful attempt deletes earlier failures of the
 * same source and subject. Attempts are stored in the database, so that all processes share one count.
 * @param attempt returns undefined if the secret was wrong.
 * @param onWrong called with the number of wrong attempts on the same account in the last hour.
 * @throws Problem `too-many-requests` if the source must wait, and any error of `attempt`. An attempt that
 *   throws does not count.
 */
export async function limitLoginAttempts<T>(
  db: Db,
  { source, subject, accountId }: AttemptSubject,
  attempt: () => Promise<T | undefined>,
  onWrong: (failures: number) => Promise<void> = async () => {},
): Promise<T | undefined> {
  const subjectHash = createHash('sha256').update(subject).digest().subarray(0, 4)
  const about = { source, subjectHash, accountId }
  // The first check takes no lock, so that a flood of attempts is rejected without waiting for the lock.
  refuse(waitS(await readLoginAttempts(db, about)))
  const id = await inTransaction(db, async (tx) => {
    await lockSource(tx, source)
    refuse(waitS(await readLoginAttempts(tx, about)))
    return insertLoginAttempt(tx, about)
  })
  const outcome = await attempt().catch(async (error: unknown) => {
    await deleteLoginAttempt(db, id)
    throw error
  })
  if (outcome === undefined) await onWrong(await failLoginAttempt(db, id))
  else await deleteLoginAttempts(db, about)
  return outcome
}

function refuse(retryAfterS: number): void {
  if (retryAfterS === 0) return
  throw fail(
    'too-many-requests',
    `Too many failed login attempts. Wait ${retryAfterS} seconds, then try again.`,
    {
      retryAfterS,
    },
  )
}
