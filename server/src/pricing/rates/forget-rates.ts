/** Deletes rates that no quote and no deposit can need any more. */

import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { deleteOldRates } from './store.ts'

/**
 * Rates are deleted only if they are older than the booked time by this margin. The booked time is the time
 * of the last booked block on the network that is furthest behind. A reorganisation during the deletion may
 * move the booked time back, but by less than this margin.
 */
const marginMs = 24 * 60 * 60 * 1000

export interface ForgetRatesParts {
  readonly db: Queryable
  /** Returns the time up to which the blocks of each network are booked. */
  readBooked(): Promise<readonly { readonly bookedUntil: Date }[]>
}

/**
 * Builds the worker that deletes old rates. Quotes and deposits store their own copy of a price. A stored
 * rate is needed only for a deposit in a block that is not booked yet: the rate at the time of that block.
 * Rates are therefore kept from the time up to which the slowest network is booked.
 */
export function forgetRates({ db, readBooked }: ForgetRatesParts): Worker {
  const runBatch = async () => {
    const booked = (await readBooked()).map(({ bookedUntil }) => bookedUntil.getTime())
    const before = booked.length === 0 ? undefined : new Date(Math.min(...booked) - marginMs)
    return deleteOldRates(db, { before, rows: limits.rowsForgottenAtOnce })
  }
  return { name: 'forget-rates', idleMs: 60_000, runBatch }
}
