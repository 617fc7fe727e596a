import type { Worker } from '../../../core/concurrency/work-loop.ts'
import { limits } from '../../../core/limits.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { deleteUnusedAddresses } from './address-store.ts'

/**
 * Builds the worker that deletes unused addresses of processes that no longer run. Each process derives up to
 * a thousand addresses in advance when it starts.
 */
export function forgetAddresses({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-addresses',
    idleMs: 60_000,
    runBatch: () => deleteUnusedAddresses(db, limits.rowsForgottenAtOnce),
  }
}
