import type { Clock } from '../core/clock.ts'
import { OwnerLimiter } from '../core/concurrency/owner-limiter.ts'
import { semaphore } from '../core/concurrency/semaphore.ts'
import { SharedPoll } from '../core/concurrency/shared-poll.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { readVersions } from './store.ts'

export interface ViewersParts {
  readonly db: Db
  readonly clock?: Clock
  readonly viewersMax?: number
  readonly viewersPerClientMax?: number
}

/**
 * The open pages that wait for a new version of their invoice. Their versions are polled whenever an event is
 * written. They are also polled every second, because no event reports that time has passed or that a new
 * block follows the block of a payment.
 */
export class Viewers extends SharedPoll<string> {
  /**
   * Limits how many open checkout pages are read from the database at the same time. A new block changes many
   * pages together, and the database must also serve other requests.
   */
  readonly readLimit = semaphore(limits.checkoutReadsAtOnce)
  readonly #limiter: OwnerLimiter

  constructor({ db, clock, ...bounds }: ViewersParts) {
    super({
      name: 'viewers',
      clock,
      idleMs: limits.checkoutPollMs,
      restMs: 50,
      poll: (invoiceIds) => readVersions(db, invoiceIds),
      isNews: (version, seen) => version !== seen,
    })
    this.#limiter = limiterOf(bounds)
  }

  /** The number of pages that now wait for updates. */
  get count(): number {
    return this.#limiter.held
  }

  /**
   * Lets one more page of a client wait for updates. The page counts towards the limits until the returned
   * function is called.
   * @throws Problem too-many-requests or too-busy; the page then polls its status
   */
  admit(client: string): () => void {
    return this.#limiter.take(client)
  }
}

function limiterOf({
  viewersMax = limits.checkoutViewers,
  viewersPerClientMax = limits.checkoutViewersPerClient,
}: Omit<ViewersParts, 'db' | 'clock'>): OwnerLimiter {
  const retryAfterS = 30
  const instead = 'Poll GET /pay/{invoiceID}/status instead.'
  const share = `A client may follow at most ${viewersPerClientMax} pages at once. ${instead}`
  return new OwnerLimiter({
    heldMax: viewersMax,
    heldPerOwnerMax: viewersPerClientMax,
    refuseOwner: () => fail('too-many-requests', share, { retryAfterS }),
    refuseAll: () => fail('too-busy', `Too many pages are followed at once. ${instead}`, { retryAfterS }),
  })
}
