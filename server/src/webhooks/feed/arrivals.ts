import type { Clock } from '../../core/clock.ts'
import { Seats } from '../../core/concurrency/seats.ts'
import { SharedLook } from '../../core/concurrency/shared-look.ts'
import { fail } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Db } from '../../platform/db/pool.ts'
import { lastSequences } from './store.ts'

export interface ArrivalsParts {
  readonly db: Db
  readonly clock?: Clock
  readonly readersMax?: number
}

/** Readers of the feed that wait for an event after the last they know of. It is looked for at each event. */
export class Arrivals extends SharedLook<number> {
  readonly #seats: Seats
  readonly #accountSeats: Seats

  constructor({ db, clock, readersMax = limits.feedReaders }: ArrivalsParts) {
    super({
      name: 'arrivals',
      clock,
      idleMs: limits.feedPollMs,
      restMs: 10,
      look: (merchantIds) => lastSequences(db, merchantIds),
      isNews: (last = 0, after) => last > after,
    })
    this.#seats = seatsOf(readersMax, limits.feedReadersPerMerchant, "a merchant's events")
    this.#accountSeats = seatsOf(
      readersMax,
      limits.feedReadersPerAccount,
      "the events of an owner's merchants",
    )
  }

  /** Readers that wait now. */
  get waiting(): number {
    return this.#seats.taken
  }

  /**
   * Resolves when the merchant has an event after `after`, when `ms` are over, or when the signal aborts.
   * @param ownerId with whose merchants this one shares a bound: merchants cost nothing to make
   * @throws Problem too-many-requests, too-busy where no more may wait
   */
  override async waitFor(
    merchantId: string,
    after: number,
    ms: number,
    signal: AbortSignal,
    ownerId: string = merchantId,
  ) {
    const leaveAccount = this.#accountSeats.take(ownerId)
    let leave = () => {}
    try {
      leave = this.#seats.take(merchantId)
      const waiting = super.waitFor(merchantId, after, ms, signal)
      // What came since the reader looked itself was told to nobody.
      this.wake.now()
      return await waiting
    } finally {
      leave()
      leaveAccount()
    }
  }
}

function seatsOf(readersMax: number, seatsPerOwnerMax: number, what: string): Seats {
  const retryAfterS = 5
  const share = `At most ${seatsPerOwnerMax} readers of ${what} wait at once: read without waitS, or with fewer.`
  const full = 'Too many readers wait for events: read without waitS.'
  return new Seats({
    seatsMax: readersMax,
    seatsPerOwnerMax,
    refuseOwner: () => fail('too-many-requests', share, { retryAfterS }),
    refuseAll: () => fail('too-busy', full, { retryAfterS }),
  })
}
