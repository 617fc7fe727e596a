import type { Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { deleteOldBlocks, type KeptBlocks, lockOldBlocks } from './forget-store.ts'

/** Forgets old blocks that nothing refers to; the newest half year stays whole, for rollbacks and for looking up payouts. */
export function forgetBlocks(
  { db }: { readonly db: Db },
  keep: KeptBlocks = { blocks: limits.blocksKept, days: limits.blocksKeptDays },
): Worker {
  const takeAndDo = () =>
    inTransaction(db, async (tx) => {
      const old = await lockOldBlocks(tx, limits.rowsForgottenAtOnce, keep)
      if (old === undefined) return 0
      await deleteOldBlocks(tx, old)
      return old.to - old.from
    })
  return { name: 'forget-blocks', idleMs: 60_000, takeAndDo }
}
