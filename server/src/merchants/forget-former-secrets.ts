import type { Worker } from '../core/concurrency/work-loop.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { deleteFormerSecrets } from './webhook-store.ts'

const batchRows = 500

/**
 * Returns the worker that deletes expired previous webhook secrets. An expired secret signs nothing, even
 * while it is still stored.
 */
export function forgetFormerSecrets({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-former-secrets',
    idleMs: 60_000,
    runBatch: () => deleteFormerSecrets(db, batchRows),
  }
}
