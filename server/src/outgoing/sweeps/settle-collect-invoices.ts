import type { CollectFact } from '../../payments/invoices/invoice.ts'
import { settleCollecting } from '../../payments/invoices/settle-collecting.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type CoinDepths, type CollectedShare, readCollectedShares } from './swept-store.ts'

/**
 * Derives where the money of `collect` invoices is from their deposits, in the transaction that changed those.
 * @param depths of networks of coins; whoever knows none leaves those to who does
 */
export async function settleCollectInvoices(
  tx: Tx,
  invoiceIds: readonly string[],
  depths: CoinDepths = [],
): Promise<void> {
  if (invoiceIds.length === 0) return
  const shares = await readCollectedShares(tx, invoiceIds, depths)
  await settleCollecting(tx, new Map(shares.map((share) => [share.invoiceId, factsOf(share)])))
}

/** One of which a part is on a lane already is not given back to collecting: the rest follows. */
function factsOf({ left, underWay, taken }: CollectedShare): readonly CollectFact[] {
  if (underWay > 0) return ['sweep-started']
  if (left === 0) return ['sweep-started', 'sweep-final']
  return taken === 0 ? ['sweep-dropped'] : []
}
