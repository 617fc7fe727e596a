import type { Clock } from '../../core/clock.ts'
import { OwnerLimiter } from '../../core/concurrency/owner-limiter.ts'
import { SharedPoll } from '../../core/concurrency/shared-poll.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import { lastSequences } from './store.ts'

export interface FeedWaitersParts {
  readonly db: Db
  readonly clock?: Clock
  readonly readersMax?: number
}

/**
 * The readers of the feed that have read all events and wait for a newer one. Every new event triggers a poll
 * of the database.
 */
export class FeedWaiters extends SharedPoll<number> {
  readonly #limiter: OwnerLimiter
  readonly #accountLimiter: OwnerLimiter

  constructor({ db, clock, readersMax = limits.feedReaders }: FeedWaitersParts) {
    super({
      name: 'feed-waiters',
      clock,
      idleMs: limits.feedPollMs,
      restMs: 10,
      poll: (merchantIds) => lastSequences(db, merchantIds),
      isNews: (last = 0, after) => last > after,
    })
    this.#limiter = limiterOf(readersMax, limits.feedReadersPerMerchant, "a merchant's events")
    this.#accountLimiter = limiterOf(
      readersMax,
      limits.feedReadersPerAccount,
      "the events of one owner's merchants",
    )
  }

  /** Number of readers that are waiting. */
  get waiting(): number {
    return this.#limiter.held
  }

  /**
   * Resolves when the merchant has an event after the sequence `after`, after `ms` milliseconds, or when the
   * signal aborts.
   * @param ownerId the account that owns the merchant. The merchants of an account share one limit, because
   *   creating merchants costs nothing.
   * @throws Problem `too-many-requests` or `too-busy` if no more readers may wait.
   */
  override async waitFor(
    merchantId: string,
    after: number,
    ms: number,
    signal: AbortSignal,
    ownerId: string = merchantId,
  ) {
    const leaveAccount = this.#accountLimiter.take(ownerId)
    let leave = () => {}
    try {
      leave = this.#limiter.take(merchantId)
      const waiting = super.waitFor(merchantId, after, ms, signal)
      // An event may have been added after the reader's own query, and an earlier poll may have missed it. A
      // new poll is therefore started now.
      this.wake.now()
      return await waiting
    } finally {
      leave()
      leaveAccount()
    }
  }
}

function limiterOf(readersMax: number, heldPerOwnerMax: number, what: string): OwnerLimiter {
  const retryAfterS = 5
  const share = `At most ${heldPerOwnerMax} readers of ${what} may wait at once: read without waitS, or use fewer readers.`
  const full = 'Too many readers are waiting for events: read without waitS.'
  return new OwnerLimiter({
    heldMax: readersMax,
    heldPerOwnerMax,
    refuseOwner: () => fail('too-many-requests', share, { retryAfterS }),
    refuseAll: () => fail('too-busy', full, { retryAfterS }),
  })
}
