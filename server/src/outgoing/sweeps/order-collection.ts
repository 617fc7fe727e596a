import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { saveOrder } from './deposited-store.ts'

/**
 * Asks, for an operator, that everything on a network be brought in that is worth its share of the fee: whoever plans
 * payouts does it at its next look. What was set back is tried once more.
 */
export function orderCollection({ db }: { readonly db: Db }, network: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    await saveOrder(tx, network)
    await recordAudit(tx, { action: 'collection.ordered', subject: network })
  })
}
