import type { Worker } from '../../../core/concurrency/work-loop.ts'
import { limits } from '../../../core/limits.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { deleteUnusedAddresses } from './address-store.ts'

/** Forgets addresses that processes which are gone had derived ahead of need: each start derives up to a thousand. */
export function forgetAddresses({ db }: { readonly db: Queryable }): Worker {
  return {
    name: 'forget-addresses',
    idleMs: 60_000,
    takeAndDo: () => deleteUnusedAddresses(db, limits.rowsForgottenAtOnce),
  }
}
