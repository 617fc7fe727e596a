import { readCursor } from '../../../chains/blocks/store.ts'
import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import type { Proposal } from '../../engine/outgoing-source.ts'
import { consolidateUtxos, type InputChoice, type UtxoPlanContext, without } from '../choose-inputs.ts'
import { trustedAt, type UtxoParts } from '../utxo-parts.ts'
import { readReclaimable } from './reclaim-store.ts'

/**
 * Plans to reclaim the UTXOs of conflicted transactions, if the UTXOs are worth the fee of the reclaim. Each
 * conflicted transaction gets a reclaim of its own.
 */
export async function planReclaims(
  parts: UtxoParts,
  context: UtxoPlanContext,
  proposals: readonly Proposal[],
): Promise<readonly InputChoice[]> {
  const { db, network, drafts } = parts
  const { needsPreviousTransactions } = drafts
  const at = trustedAt(parts, required(await readCursor(db, network.name), 'the cursor'))
  const chosen: InputChoice[] = []
  for (const proposal of proposals) {
    if (proposal.intent.kind !== 'reclaim') continue
    const utxos = await readReclaimable(db, network.name, proposal.intent.outgoingTransactionId, {
      at,
      needsPreviousTransactions,
    })
    // One request for these UTXOs was signed before, so their previous transactions fit into one request.
    const left = { ...chosen.reduce(without, context), utxos }
    const choice = consolidateUtxos(left, proposal, { least: 1, most: limits.utxosConsolidated })
    if (choice !== undefined) chosen.push(choice)
  }
  return chosen
}
