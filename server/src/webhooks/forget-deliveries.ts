import { limits } from '../core/limits.ts'
import type { Worker } from '../core/work-loop.ts'
import type { Queryable } from '../db/pool.ts'
import { deleteOldDeliveries } from './store.ts'

/** Forgets how old events were delivered. The events stay: they are the feed, and their names keep them from being told twice. */
export function forgetDeliveries({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-deliveries',
    idleMs: 60_000,
    takeAndDo: () => deleteOldDeliveries(db, limits.deliveriesForgottenAtOnce),
  }
}
