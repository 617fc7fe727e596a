/** How often someone may guess at what only its owner should know, before having to wait. */

/** A guess of one source that was made lately. */
export interface Guess {
  readonly ageS: number
  /** Whether it was at the same thing as the guess to be made. */
  readonly isSameSubject: boolean
  /** False while it is not known yet whether it is right. */
  readonly hasFailed: boolean
}

/** At one thing: 5 in 15 minutes. At anything: 20 in an hour. */
export const perSubject = { count: 5, windowS: 15 * 60 } as const
export const perSource = { count: 20, windowS: 60 * 60 } as const

/** How long an undecided guess counts; no comparison takes longer. */
export const undecidedMaxS = 30

/** After so many wrong guesses at one thing, so many seconds: a person hardly notices, a program does. */
const pausesS: readonly number[] = [0, 0, 0, 1, 4]

/**
 * Seconds until the source may guess again; 0 for now. There is no lock on what is guessed at: another source is not
 * kept waiting, so that nobody can shut anybody else out.
 * @param guesses the source's guesses of the last hour that failed or are undecided, the newest first
 */
export function waitS(guesses: readonly Guess[]): number {
  const failed = guesses.filter(({ hasFailed }) => hasFailed)
  const failedSame = failed.filter(({ isSameSubject }) => isSameSubject)
  const byFailures = Math.max(
    overLimitS(failed, perSource),
    overLimitS(failedSame, perSubject),
    pauseS(failedSame),
  )
  if (byFailures > 0) return Math.ceil(byFailures)
  // Guesses under way count as wrong ones, else a thousand at once would all be let in.
  const same = guesses.filter(({ isSameSubject }) => isSameSubject)
  const isFull = overLimitS(guesses, perSource) > 0 || overLimitS(same, perSubject) > 0
  return isFull ? 1 : 0
}

/** Until the oldest of the last `count` guesses leaves the window. */
function overLimitS(guesses: readonly Guess[], limit: { count: number; windowS: number }): number {
  const oldest = guesses[limit.count - 1]
  return oldest === undefined ? 0 : Math.max(0, limit.windowS - oldest.ageS)
}

function pauseS(failed: readonly Guess[]): number {
  const recent = failed.filter(({ ageS }) => ageS < perSubject.windowS)
  const [newest] = recent
  if (newest === undefined) return 0
  return Math.max(0, (pausesS[Math.min(recent.length, pausesS.length - 1)] ?? 0) - newest.ageS)
}
