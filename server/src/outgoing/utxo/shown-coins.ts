/** Which coins are looked at together, where each goes to the signer with the whole transaction that made it. Pure. */
import { limits } from '../../core/limits.ts'
import type { SpendableCoin } from './coin-store.ts'

export interface ShownCoins {
  /** In the order in which they were given: what made them goes to the signer in one request. */
  readonly together: readonly SpendableCoin[]
  /** Those with makers so large that two may not go together. */
  readonly alone: readonly SpendableCoin[]
  /** There are others than those that are looked at together. */
  readonly hasMore: boolean
}

/** Any two coins go together unless one of them goes alone; one that does not fit keeps none from being looked at. */
export function shownCoins(coins: readonly SpendableCoin[]): ShownCoins {
  const showable = coins.filter(({ makerBytes }) => makerBytes <= limits.makerBytesMax)
  const together: SpendableCoin[] = []
  let bytes = 0
  for (const coin of showable) {
    if (bytes + coin.makerBytes > limits.makersBytes) continue
    bytes += coin.makerBytes
    together.push(coin)
  }
  const alone = showable.filter(({ makerBytes }) => 2 * makerBytes > limits.makersBytes)
  return { together, alone, hasMore: together.length < showable.length }
}
