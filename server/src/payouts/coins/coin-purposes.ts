/** What is sent for the coins' own sake: the change of what is stuck, what comes back, and many coins to become few. */
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import type { Queryable } from '../../db/pool.ts'
import type { PayoutPurpose, Proposal } from '../purpose.ts'
import { countUnspent } from './coin-store.ts'
import { findReclaimable } from './reclaim-store.ts'
import { findStuck, hasOpenConsolidation } from './stuck-store.ts'

/** Where nodes replace nothing: lifts what is not mined by spending its change for the fee of both. */
export const liftPurpose: PayoutPurpose = {
  kinds: ['lift'],
  moved: async () => {},
  propose: async (on, network, max) =>
    (await findStuck(on, network, stuckBlocks, max)).map((payoutId) => ({
      ...{ id: newId(), network, intent: { kind: 'lift', payoutId }, spends: undefined },
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
        ...{ id: newId(), network, intent: { kind: 'reclaim', payoutId }, spends: undefined },
      })),
  }
}

/** Makes one coin of the smallest ones when there are many; whether that is cheap just now is told where it is planned. */
export const consolidatePurpose: PayoutPurpose = {
  kinds: ['consolidate'],
  moved: async () => {},
  propose: (on, network) => proposeConsolidation(on, network, limits.coinsMany),
}

async function proposeConsolidation(
  on: Queryable,
  network: string,
  many: number,
): Promise<readonly Proposal[]> {
  if ((await countUnspent(on, network)) < many || (await hasOpenConsolidation(on, network))) return []
  return [{ id: newId(), network, intent: { kind: 'consolidate' }, spends: undefined }]
}
