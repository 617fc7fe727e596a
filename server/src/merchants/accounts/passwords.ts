/**
 * Password hashes (argon2id with OWASP's parameters: 19 MiB, 2 passes, 1 lane). Hashing has a separate queue,
 * so that a flood of logins does not take the memory and threads that payments need.
 */

import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { randomBytes } from '../../core/chance.ts'
import { OwnerLimiter } from '../../core/concurrency/owner-limiter.ts'
import { semaphore } from '../../core/concurrency/semaphore.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const
// At most two hashes run at once. libuv has four threads by default, and name resolution and file access need
// some of them.
const runningMax = Math.min(2, availableParallelism())

export interface Passwords {
  /**
   * Runs `work`, which hashes or compares a password, if not too many requests of the same source are
   * running. Must be called before any lock or database connection is taken. Without this limit, a client
   * could send many correct passwords of its own accounts and so keep others from logging in.
   * @param source origin of the request; see `attemptSource`.
   * @throws Problem `too-many-requests` if the source has too many requests running, and any error of
   *   `work`.
   */
  inShare<T>(source: string, work: () => Promise<T>): Promise<T>
  /**
   * Returns the hash of a password.
   * @throws Problem `too-many-requests` if the queue is full.
   */
  hash(password: string): Promise<string>
  /**
   * Decides whether a password matches a hash. If `stored` is undefined, the result is false, and the call
   * takes as long as with a hash.
   * @throws Problem `too-many-requests` if the queue is full.
   */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

/** The hash functions. Tests replace them to count calls. */
export interface Argon2 {
  readonly hash: typeof hash
  readonly verify: typeof verify
}

export function openPasswords(
  queuedMax: number = limits.hashesQueued,
  argon2: Argon2 = { hash, verify },
): Passwords {
  const refuse = () =>
    fail('too-many-requests', 'Too many logins at once. Try again shortly.', { retryAfterS: 2 })
  const limited = semaphore(runningMax, { queuedMax, refuse })
  const limiter = new OwnerLimiter({
    heldMax: Number.POSITIVE_INFINITY,
    heldPerOwnerMax: limits.loginsAtOncePerNetwork,
    refuseOwner: refuse,
    refuseAll: refuse,
  })
  // If the email is unknown, the password is compared with this hash, so that the answer takes as long as for
  // a known email. The hash has the usual parameters and matches no password.
  const hashOfNobody = limited(() => argon2.hash(randomBytes(32), parameters))
  hashOfNobody.catch(() => {})
  return {
    async inShare(source, work) {
      const leave = limiter.take(source)
      try {
        return await work()
      } finally {
        leave()
      }
    },
    hash: (password) => limited(() => argon2.hash(normal(password), parameters)),
    async matches(password, stored) {
      const against = stored ?? (await hashOfNobody)
      const isEqual = await limited(() => argon2.verify(against, normal(password)))
      return isEqual && stored !== undefined
    },
  }
}

/** Applies NFKC (NIST SP 800-63B, 5.1.1.2), because two systems may encode the same password differently. */
function normal(password: string): string {
  return password.normalize('NFKC')
}
