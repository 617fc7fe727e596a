import { readCursor } from '../../chains/blocks/store.ts'
import { required } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import type { Proposal } from '../engine/purpose.ts'
import { type CoinChoice, type CoinGround, gatherCoins, without } from './choose-coins.ts'
import { type CoinParts, trustedAt } from './coin-parts.ts'
import { readReclaimable } from './reclaim-store.ts'

/** Takes back what is worth it of the coins of payouts that can never be mined, each payout's in transactions of their own. */
export async function planReclaims(
  parts: CoinParts,
  ground: CoinGround,
  proposals: readonly Proposal[],
): Promise<readonly CoinChoice[]> {
  const { db, network, drafts } = parts
  const { needsMakers } = drafts
  const at = trustedAt(parts, required(await readCursor(db, network.name), 'the cursor'))
  const chosen: CoinChoice[] = []
  for (const proposal of proposals) {
    if (proposal.intent.kind !== 'reclaim') continue
    const coins = await readReclaimable(db, network.name, proposal.intent.payoutId, { at, needsMakers })
    // They were signed together once, so that they go to the signer together, with what made them.
    const left = { ...chosen.reduce(without, ground), coins }
    const choice = gatherCoins(left, proposal, { least: 1, most: limits.coinsConsolidated })
    if (choice !== undefined) chosen.push(choice)
  }
  return chosen
}
