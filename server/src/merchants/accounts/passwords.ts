/**
 * Password hashes (argon2id, OWASP's 19 MiB, 2 passes, 1 lane) behind a queue of their own, so that a flood of logins
 * takes neither the memory nor the threads that payments need.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Seats } from '../../core/concurrency/seats.ts'
import { turns } from '../../core/concurrency/turns.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const
// libuv has four threads by default, which name resolution and files need too.
const runningMax = Math.min(2, availableParallelism())

export interface Passwords {
  /**
   * Has a source do what needs a password within its share, taken before any lock or connection is: right passwords are
   * limited nowhere else, and whoever sends many of its own must not keep others from logging in.
   * @param source who sent it; see `guesserAt`
   * @throws Problem too-many-requests when the source has as many under way as it may; and what `work` throws
   */
  inShare<T>(source: string, work: () => Promise<T>): Promise<T>
  /** @throws Problem too-many-requests when the queue is full. */
  hash(password: string): Promise<string>
  /**
   * Whether the password belongs to the hash. Without a hash the answer is no, at the same cost.
   * @throws Problem too-many-requests when the queue is full.
   */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

export function openPasswords(queuedMax: number = limits.hashesQueued): Passwords {
  const refuse = () => fail('too-many-requests', 'Too many logins at once.', { retryAfterS: 2 })
  const inTurn = turns(runningMax, { queuedMax, refuse })
  const seats = new Seats({
    seatsMax: Number.POSITIVE_INFINITY,
    seatsPerOwnerMax: limits.loginsAtOncePerNetwork,
    refuseOwner: refuse,
    refuseAll: refuse,
  })
  // What an unknown email is compared with: of the same parameters, and of no password.
  const nobody = inTurn(() => hash(randomBytes(32), parameters))
  nobody.catch(() => {})
  return {
    async inShare(source, work) {
      const leave = seats.take(source)
      try {
        return await work()
      } finally {
        leave()
      }
    },
    hash: (password) => inTurn(() => hash(normal(password), parameters)),
    async matches(password, stored) {
      const against = stored ?? (await nobody)
      const isEqual = await inTurn(() => verify(against, normal(password)))
      return isEqual && stored !== undefined
    },
  }
}

/** The same password typed on two systems may arrive in two forms (NIST SP 800-63B, 5.1.1.2: NFKC). */
function normal(password: string): string {
  return password.normalize('NFKC')
}
