import type { Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { deleteOldDeliveries } from './store.ts'

/** Forgets how old events were delivered. The events stay: they are the feed, and their names keep them from being told twice. */
export function forgetDeliveries({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-deliveries',
    idleMs: 60_000,
    takeAndDo: () => deleteOldDeliveries(db, limits.deliveriesForgottenAtOnce),
  }
}
