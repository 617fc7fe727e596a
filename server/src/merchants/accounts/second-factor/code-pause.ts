/** How long the codes of an account rest after a wrong one, whoever typed it and wherever. */
import { fail } from '../../../core/errors.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { deletePause, findPause, notePause } from './code-pause-store.ts'

const pauseMaxS = 15 * 60

/** Seconds after so many wrong codes in a row: each twice as many as the one before, up to a quarter of an hour. */
export function pauseAfterS(failures: number): number {
  return failures < 1 ? 0 : Math.min(2 ** Math.min(failures - 1, 20), pauseMaxS)
}

/**
 * Lets a code be tried where the last wrong one is long enough ago; a right one ends all pauses. The pause is the same for the
 * owner, who is never kept out for longer than the longest one, and not at all with a recovery code: those do not come here.
 * @param attempt returns undefined when the code was wrong
 * @throws Problem too-many-requests, and what `attempt` throws; then nothing is counted
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
