import type { Worker } from '../core/concurrency/work-loop.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { deleteFormerSecrets } from './webhook-store.ts'

const batchRows = 500

/** Deletes former webhook secrets once they are past their time; until that is done they sign nothing either. */
export function forgetFormerSecrets({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-former-secrets',
    idleMs: 60_000,
    takeAndDo: () => deleteFormerSecrets(db, batchRows),
  }
}
