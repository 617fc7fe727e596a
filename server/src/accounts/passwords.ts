/**
 * Password hashes (argon2id, OWASP's 19 MiB, 2 passes, 1 lane) behind a queue of their own, so that a flood of logins
 * takes neither the memory nor the threads that payments need.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const
// libuv has four threads by default, which name resolution and files need too.
const runningMax = Math.min(2, availableParallelism())

export interface Passwords {
  /** @throws Problem too-many-requests when the queue is full. */
  hash(password: string): Promise<string>
  /**
   * Whether the password belongs to the hash. Without a hash the answer is no, at the same cost.
   * @throws Problem too-many-requests when the queue is full.
   */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

export function openPasswords(queuedMax: number = limits.hashesQueued): Passwords {
  const inTurn = turns(queuedMax)
  // What an unknown email is compared with: of the same parameters, and of no password.
  const nobody = inTurn(() => hash(randomBytes(32), parameters))
  nobody.catch(() => {})
  return {
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

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `runningMax` at a time and lets at most `queuedMax` wait. */
function turns(queuedMax: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= runningMax) {
      if (waiting.length >= queuedMax)
        throw fail('too-many-requests', 'Too many logins at once.', { retryAfterS: 2 })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      // The place goes to the next in line, or is given back.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
