import type { Worker } from '../core/work-loop.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { foldPaymentDays } from './store.ts'

const batchRows = 5_000

/** Folds changes into the sums of days, so that overviews need not add up many. They are exact without it, only slower. */
export function foldDays({ db }: { readonly db: Db }): Worker {
  return {
    name: 'fold-payment-days',
    idleMs: 1_000,
    takeAndDo: async () => {
      const changes = await inTransaction(db, (tx) => foldPaymentDays(tx, batchRows))
      // A few are left to gather: each fold is a commit.
      return changes === batchRows ? changes : 0
    },
  }
}
