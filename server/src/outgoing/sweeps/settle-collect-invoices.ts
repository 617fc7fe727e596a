import type { CollectFact } from '../../payments/invoices/invoice.ts'
import { settleCollecting } from '../../payments/invoices/settle-collecting.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type FinalDepths, readSweptShares, type SweptShare } from './swept-store.ts'

/**
 * Derives the state of `collect` invoices from their deposits, in the transaction that changed the deposits.
 * @param depths for each UTXO network, the number of blocks after which a block counts as final; if empty,
 * invoices that were paid on UTXO networks are not settled
 */
export async function settleCollectInvoices(
  tx: Tx,
  invoiceIds: readonly string[],
  depths: FinalDepths = [],
): Promise<void> {
  if (invoiceIds.length === 0) return
  const shares = await readSweptShares(tx, invoiceIds, depths)
  await settleCollecting(tx, new Map(shares.map((share) => [share.invoiceId, factsOf(share)])))
}

/**
 * Returns the facts from which the state of one invoice is derived. Once some of its money is in a hot
 * wallet, the invoice does not go back to collecting. Its remaining money will be swept too.
 */
function factsOf({ left, underWay, taken }: SweptShare): readonly CollectFact[] {
  if (underWay > 0) return ['sweep-started']
  if (left === 0) return ['sweep-started', 'sweep-final']
  return taken === 0 ? ['sweep-dropped'] : []
}
