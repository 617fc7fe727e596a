/** Limits how often a source may try a secret, such as a password or a code, before it has to wait. */

/** A recent attempt of one source. */
export interface LoginAttempt {
  readonly ageS: number
  /** Whether the attempt was on the same subject (such as an email) as the attempt that is now requested. */
  readonly isSameSubject: boolean
  /** Whether the attempt was wrong. False while the outcome is not known yet. */
  readonly hasFailed: boolean
}

/**
 * Limits of wrong attempts of one source: 5 in 15 minutes on one subject, and 20 in an hour on all subjects
 * together.
 */
export const perSubject = { count: 5, windowS: 15 * 60 } as const
export const perSource = { count: 20, windowS: 60 * 60 } as const

/** Seconds for which an attempt without an outcome counts. No password comparison takes that long. */
export const undecidedMaxS = 30

/**
 * Seconds to wait, by the number of recent wrong attempts on one subject. A person hardly notices these
 * pauses, but they slow down a program.
 */
const pausesS: readonly number[] = [0, 0, 0, 1, 4]

/**
 * Returns the seconds until the source of the attempts may try again, or 0. Only this source has to wait. The
 * subject that was tried, such as an email, is never locked for other sources, so nobody can lock out another
 * person.
 * @param attempts the source's attempts of the last hour that failed or have no outcome yet, newest first.
 */
export function waitS(attempts: readonly LoginAttempt[]): number {
  const failed = attempts.filter(({ hasFailed }) => hasFailed)
  const failedSame = failed.filter(({ isSameSubject }) => isSameSubject)
  const byFailures = Math.max(
    overLimitS(failed, perSource),
    overLimitS(failedSame, perSubject),
    pauseS(failedSame),
  )
  if (byFailures > 0) return Math.ceil(byFailures)
  // Attempts without an outcome count as wrong. Otherwise a source could make a thousand attempts at the same
  // time.
  const same = attempts.filter(({ isSameSubject }) => isSameSubject)
  const isFull = overLimitS(attempts, perSource) > 0 || overLimitS(same, perSubject) > 0
  return isFull ? 1 : 0
}

/** Returns the seconds until the oldest of the last `limit.count` attempts is older than the window. */
function overLimitS(attempts: readonly LoginAttempt[], limit: { count: number; windowS: number }): number {
  const oldest = attempts[limit.count - 1]
  return oldest === undefined ? 0 : Math.max(0, limit.windowS - oldest.ageS)
}

function pauseS(failed: readonly LoginAttempt[]): number {
  const recent = failed.filter(({ ageS }) => ageS < perSubject.windowS)
  const [newest] = recent
  if (newest === undefined) return 0
  return Math.max(0, (pausesS[Math.min(recent.length, pausesS.length - 1)] ?? 0) - newest.ageS)
}
