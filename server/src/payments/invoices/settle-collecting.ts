import type { Tx } from '../../platform/db/transaction.ts'
import { type CollectFact, type CollectState, nextCollectState } from './invoice.ts'
import { saveCollectStates } from './standing-store.ts'
import { lockInvoices } from './store.ts'

/** Applies what happened to the money of `collect` invoices to where they say it is, one fact after the other. */
export async function settleCollecting(
  tx: Tx,
  facts: ReadonlyMap<string, readonly CollectFact[]>,
): Promise<void> {
  const told = [...facts].filter(([, happened]) => happened.length > 0).map(([id]) => id)
  if (told.length === 0) return
  const changed: { readonly id: string; readonly collectState: CollectState }[] = []
  for (const { invoice } of await lockInvoices(tx, told)) {
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
