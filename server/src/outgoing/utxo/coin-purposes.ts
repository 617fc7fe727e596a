/** What is sent for the coins' own sake: the change of what is stuck, what comes back, and many coins to become few. */
import { readCursor } from '../../chains/blocks/store.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PayoutPurpose, Proposal } from '../engine/purpose.ts'
import { type CoinParts, trustedAt } from './coin-parts.ts'
import { hasSpendable } from './coin-store.ts'
import { findReclaimable } from './reclaim-store.ts'
import { findStuck, hasOpenConsolidation } from './stuck-store.ts'

/** Where nodes replace nothing: lifts what is not mined by spending its change for the fee of both. */
export const liftPurpose: PayoutPurpose = {
  kinds: ['lift'],
  moved: async () => {},
  propose: async (on, network, max) =>
    (await findStuck(on, network, stuckBlocks, max)).map((payoutId) => ({
      id: newId(),
      network,
      intent: { kind: 'lift', payoutId },
      spends: undefined,
    })),
}

/** Blocks after which what is not mined is lifted. */
const stuckBlocks = 4

/**
 * Takes back the coins of payouts that were displaced: the signer keeps a coin for the payout that it was signed for, and
 * nobody else could ever have it.
 * @param leastMinor what a coin holds that is worth it
 */
export function reclaimPurpose(leastMinor: bigint): PayoutPurpose {
  return {
    kinds: ['reclaim'],
    moved: async () => {},
    propose: async (on, network, max) =>
      (await findReclaimable(on, network, leastMinor, max)).map((payoutId) => ({
        id: newId(),
        network,
        intent: { kind: 'reclaim', payoutId },
        spends: undefined,
      })),
  }
}

/**
 * Makes one coin of the smallest ones when there are many, and respends what was set aside; whether that is cheap just now is
 * told where it is planned.
 * @param leastMinor what a coin holds that is worth it
 */
export function consolidatePurpose(parts: CoinParts, leastMinor: bigint): PayoutPurpose {
  return {
    kinds: ['consolidate'],
    moved: async () => {},
    propose: (on, network) => proposeConsolidation(parts, on, network, leastMinor),
  }
}

async function proposeConsolidation(
  parts: CoinParts,
  on: Queryable,
  network: string,
  leastMinor: bigint,
): Promise<readonly Proposal[]> {
  if (await hasOpenConsolidation(on, network)) return []
  const cursor = await readCursor(on, network)
  if (cursor === undefined) return []
  const many = { count: limits.coinsMany, leastMinor }
  const worthMinor = parts.network.chain.dustMinor + 4n * leastMinor
  const oneSetAside = { count: 1, leastMinor: worthMinor, ofThoseSetAside: true }
  const at = trustedAt(parts, cursor)
  if (!(await hasSpendable(on, network, at, many)) && !(await hasSpendable(on, network, at, oneSetAside)))
    return []
  return [{ id: newId(), network, intent: { kind: 'consolidate' }, spends: undefined }]
}
