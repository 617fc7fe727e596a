import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { deleteOldRates } from './store.ts'

/** A rollback that goes deeper in between is not taken back at all. */
const marginMs = 24 * 60 * 60 * 1000

export interface ForgetRatesParts {
  readonly db: Queryable
  /** Until when the blocks of each network are booked. */
  readBooked(): Promise<readonly { readonly bookedUntil: Date }[]>
}

/**
 * Forgets old rates. Quotes and payments hold their own copy of a price; only a payment in a block that is yet to be booked
 * asks for the rate of that time, so that rates are kept from where the slowest network stands.
 */
export function forgetRates({ db, readBooked }: ForgetRatesParts): Worker {
  const takeAndDo = async () => {
    const booked = (await readBooked()).map(({ bookedUntil }) => bookedUntil.getTime())
    const before = booked.length === 0 ? undefined : new Date(Math.min(...booked) - marginMs)
    return deleteOldRates(db, { before, rows: limits.rowsForgottenAtOnce })
  }
  return { name: 'forget-rates', idleMs: 60_000, takeAndDo }
}
