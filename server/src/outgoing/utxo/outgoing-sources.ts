/**
 * The outgoing sources that keep our UTXOs spendable: CPFP of stuck transactions, reclaims, and
 * consolidations.
 */
import { readCursor } from '../../chains/blocks/store.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { OutgoingSource, Proposal } from '../engine/outgoing-source.ts'
import { findReclaimable } from './reclaims/reclaim-store.ts'
import { findStuck, hasOpenConsolidation } from './stuck-store.ts'
import { trustedAt, type UtxoParts } from './utxo-parts.ts'
import { hasSpendable } from './utxo-store.ts'

/**
 * Proposes CPFP for stuck transactions on chains without replacement: a child transaction spends the change
 * of the stuck transaction and pays the fee of both.
 */
export const cpfpOutgoingSource: OutgoingSource = {
  kinds: ['cpfp'],
  moved: async () => {},
  propose: async (on, network, max) =>
    (await findStuck(on, network, stuckBlocks, max)).map((outgoingTransactionId) => ({
      id: newId(),
      network,
      intent: { kind: 'cpfp', outgoingTransactionId },
      spends: undefined,
    })),
}

/** The number of blocks after which CPFP is proposed for a transaction that is not mined. */
const stuckBlocks = 4

/**
 * Proposes to reclaim the UTXOs of conflicted transactions. The signer reserves a UTXO for the transaction
 * that it signed. Without a reclaim, no other transaction could spend the UTXO.
 * @param leastMinor the smallest amount of a UTXO that is worth a reclaim
 */
export function reclaimOutgoingSource(leastMinor: bigint): OutgoingSource {
  return {
    kinds: ['reclaim'],
    moved: async () => {},
    propose: async (on, network, max) =>
      (await findReclaimable(on, network, leastMinor, max)).map((outgoingTransactionId) => ({
        id: newId(),
        network,
        intent: { kind: 'reclaim', outgoingTransactionId },
        spends: undefined,
      })),
  }
}

/**
 * Proposes to consolidate the smallest UTXOs if there are many. Also proposes to move the UTXOs that a
 * recovery set aside to new outputs of ours. Whether the fee is low enough is decided when the transaction is
 * planned.
 * @param leastMinor the smallest amount of a UTXO that is worth consolidating
 */
export function consolidateOutgoingSource(parts: UtxoParts, leastMinor: bigint): OutgoingSource {
  return {
    kinds: ['consolidate'],
    moved: async () => {},
    propose: (on, network) => proposeConsolidation(parts, on, network, leastMinor),
  }
}

async function proposeConsolidation(
  parts: UtxoParts,
  on: Queryable,
  network: string,
  leastMinor: bigint,
): Promise<readonly Proposal[]> {
  if (await hasOpenConsolidation(on, network)) return []
  const cursor = await readCursor(on, network)
  if (cursor === undefined) return []
  const many = { count: limits.utxosMany, leastMinor }
  const worthMinor = parts.network.chain.dustMinor + 4n * leastMinor
  const oneSetAside = { count: 1, leastMinor: worthMinor, ofThoseSetAside: true }
  const at = trustedAt(parts, cursor)
  if (!(await hasSpendable(on, network, at, many)) && !(await hasSpendable(on, network, at, oneSetAside)))
    return []
  return [{ id: newId(), network, intent: { kind: 'consolidate' }, spends: undefined }]
}
