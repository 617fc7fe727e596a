import type { Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { deleteOldBlocks, type KeptBlocks, lockOldBlocks } from './forget-store.ts'

/**
 * Returns a worker that deletes old blocks to which no other row refers. All blocks of the last half year are
 * kept, because rollbacks and look-ups of outgoing transactions need them. A network with a block every 200 ms
 * would have 80 million of them, so their number is limited.
 */
export function forgetBlocks(
  { db }: { readonly db: Db },
  keep: KeptBlocks = {
    blocks: limits.blocksKept,
    days: limits.blocksKeptDays,
    blocksMax: limits.blocksKeptMax,
  },
): Worker {
  const runBatch = () =>
    inTransaction(db, async (tx) => {
      const old = await lockOldBlocks(tx, limits.rowsForgottenAtOnce, keep)
      if (old === undefined) return 0
      await deleteOldBlocks(tx, old)
      return old.to - old.from
    })
  return { name: 'forget-blocks', idleMs: 60_000, runBatch }
}
