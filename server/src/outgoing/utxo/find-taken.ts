import type { StoredPayout } from '../engine/store.ts'
import type { CoinParts } from './coin-parts.ts'
import { readTakenCoins, type TakenCoin } from './spent-store.ts'

/**
 * Of each payout, where one of its coins was spent by something else, in our own blocks and by the nodes' word when they
 * are asked for that block again; or was never made. Then none of its attempts is ever mined.
 */
export async function findTaken(
  { db, network, sender }: CoinParts,
  payouts: readonly StoredPayout[],
  height: number,
  signal: AbortSignal,
): Promise<readonly (TakenCoin | undefined)[]> {
  const ids = payouts.map(({ id }) => id)
  const taken = new Map(
    (await readTakenCoins(db, network.name, ids, height)).map((one) => [one.payoutId, one]),
  )
  const isShown = async ({ outpoint, txHash, height: at, isUnmade }: TakenCoin) =>
    isUnmade || (await sender.findSpent(outpoint, { from: at, to: at }, signal))?.txHash === txHash
  return Promise.all(
    ids.map(async (id) => {
      const one = taken.get(id)
      return one !== undefined && (await isShown(one)) ? one : undefined
    }),
  )
}
