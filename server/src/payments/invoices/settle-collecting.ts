import type { Tx } from '../../platform/db/transaction.ts'
import { type CollectFact, type CollectState, nextCollectState } from './invoice.ts'
import { saveCollectStates } from './status-store.ts'
import { lockInvoices } from './store.ts'

/**
 * Changes the collect states of `collect` invoices according to the facts that sweeps reported. The facts of
 * an invoice are applied in their order.
 */
export async function settleCollecting(
  tx: Tx,
  facts: ReadonlyMap<string, readonly CollectFact[]>,
): Promise<void> {
  const emitted = [...facts].filter(([, happened]) => happened.length > 0).map(([id]) => id)
  if (emitted.length === 0) return
  const changed: { readonly id: string; readonly collectState: CollectState }[] = []
  for (const { invoice } of await lockInvoices(tx, emitted)) {
    let collectState = invoice.collectState
    for (const fact of facts.get(invoice.id) ?? []) {
      collectState = nextCollectState({ collectState, state: invoice.state }, fact) ?? collectState
    }
    if (collectState !== undefined && collectState !== invoice.collectState) {
      changed.push({ id: invoice.id, collectState })
    }
  }
  if (changed.length > 0) await saveCollectStates(tx, changed)
}
