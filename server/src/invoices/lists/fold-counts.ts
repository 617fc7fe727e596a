import type { Worker } from '../../core/work-loop.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { foldChanges } from './count-store.ts'

const batchRows = 5_000

/** Folds changes into the counts, so that lists need not add up many. Lists are exact without it, only slower. */
export function foldCounts({ db }: { readonly db: Db }): Worker {
  return {
    name: 'fold-invoice-counts',
    idleMs: 1_000,
    takeAndDo: async () => {
      const changes = await inTransaction(db, (tx) => foldChanges(tx, batchRows))
      // A few are left to gather: each fold is a commit.
      return changes === batchRows ? changes : 0
    },
  }
}
