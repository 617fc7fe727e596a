import type { Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { deleteOldDeliveries } from './store.ts'

/**
 * Returns the worker that deletes old deliveries. Events are kept: the feed shows them, and a stored event
 * prevents a second event with the same subject.
 */
export function forgetDeliveries({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-deliveries',
    idleMs: 60_000,
    runBatch: () => deleteOldDeliveries(db, limits.deliveriesForgottenAtOnce),
  }
}
