import type { Clock } from '../core/clock.ts'
import { Seats } from '../core/concurrency/seats.ts'
import { SharedLook } from '../core/concurrency/shared-look.ts'
import { turns } from '../core/concurrency/turns.ts'
import { fail } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { readMarks } from './store.ts'

export interface ViewersParts {
  readonly db: Db
  readonly clock?: Clock
  readonly viewersMax?: number
  readonly viewersPerClientMax?: number
}

/**
 * Pages that are open and wait for another mark of their invoice. It is looked for at each event, and every second:
 * blocks on top of a payment, and time, are told by nobody.
 */
export class Viewers extends SharedLook<string> {
  /** Has what a followed page shows be read: a block is news for all at once, and the database serves more than them. */
  readonly inTurn = turns(limits.checkoutReadsAtOnce)
  readonly #seats: Seats

  constructor({ db, clock, ...bounds }: ViewersParts) {
    super({
      name: 'viewers',
      clock,
      idleMs: limits.checkoutPollMs,
      restMs: 50,
      look: (invoiceIds) => readMarks(db, invoiceIds),
      isNews: (mark, seen) => mark !== seen,
    })
    this.#seats = seatsOf(bounds)
  }

  /** Pages that are followed now. */
  get count(): number {
    return this.#seats.taken
  }

  /**
   * Lets one more page of a client be followed until what is returned is called.
   * @throws Problem too-many-requests, too-busy; such a page asks now and then instead
   */
  admit(client: string): () => void {
    return this.#seats.take(client)
  }
}

function seatsOf({
  viewersMax = limits.checkoutViewers,
  viewersPerClientMax = limits.checkoutViewersPerClient,
}: Omit<ViewersParts, 'db' | 'clock'>): Seats {
  const retryAfterS = 30
  const share = `At most ${viewersPerClientMax} pages of one client are followed at once.`
  return new Seats({
    seatsMax: viewersMax,
    seatsPerOwnerMax: viewersPerClientMax,
    refuseOwner: () => fail('too-many-requests', share, { retryAfterS }),
    refuseAll: () => fail('too-busy', 'Too many pages are followed: ask now and then.', { retryAfterS }),
  })
}
