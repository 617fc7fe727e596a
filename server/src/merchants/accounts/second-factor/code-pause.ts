/** Pauses after a wrong code. During a pause, the account accepts no authenticator code from anyone. */
import { fail } from '../../../core/errors.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { deletePause, findPause, notePause } from './code-pause-store.ts'

const pauseMaxS = 15 * 60

/**
 * Returns the seconds to wait after consecutive wrong codes. Each further wrong code doubles the time, up to
 * a quarter of an hour.
 */
export function pauseAfterS(failures: number): number {
  return failures < 1 ? 0 : Math.min(2 ** Math.min(failures - 1, 20), pauseMaxS)
}

/**
 * Runs an attempt if the pause after the last wrong code is over. A right code ends all pauses. If somebody
 * else enters wrong codes, the account's owner has to wait too, but never longer than 15 minutes after the
 * last wrong code. Recovery codes are not checked here and have no pauses.
 * @param attempt returns undefined if the code was wrong.
 * @throws Problem `too-many-requests` during a pause, and any error of `attempt`. An attempt that throws does
 *   not count.
 */
export async function pauseBetween<T>(
  db: Db,
  accountId: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const before = await findPause(db, accountId)
  const waitS = before === undefined ? 0 : Math.ceil(pauseAfterS(before.failures) - before.ageS)
  if (waitS > 0) {
    const text = `The last code was wrong. Wait ${waitS} seconds, then try again, or use a recovery code.`
    throw fail('too-many-requests', text, { retryAfterS: waitS })
  }
  const outcome = await attempt()
  if (outcome === undefined) await notePause(db, accountId)
  else if (before !== undefined) await deletePause(db, accountId)
  return outcome
}
