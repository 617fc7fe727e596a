import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { saveOrder } from './deposited-store.ts'

/**
 * Stores an operator's order to sweep all money on a network that is worth its share of the fee. A process
 * with the role `payouts` proposes the sweeps at its next poll. Sweeps that failed before are tried again.
 */
export function orderSweep({ db }: { readonly db: Db }, network: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    await saveOrder(tx, network)
    await recordAudit(tx, { action: 'sweep.ordered', subject: network })
  })
}
