/** Decides how much coin a sweep took from an address, if no node reports its calls. Pure. */

/** What is known about the coin of one address in the block of a sweep. All amounts are in its smallest unit. */
export interface CoinAroundSweep {
  /** The balance after the block before the sweep's. */
  readonly beforeMinor: bigint
  /** The balance after the sweep's block. */
  readonly afterMinor: bigint
  /** What known transfers brought in the sweep's block, before the sweep's transaction. */
  readonly earlierMinor: bigint
  /** What known transfers brought in the sweep's block, after the sweep's transaction. */
  readonly laterMinor: bigint
}

/**
 * Returns what a successful sweep took from an address. It takes the whole balance or nothing. Coin that came after
 * it in the same block raises the balance after the block, also without a known transfer, and lowers nothing.
 */
export function takenCoin({ beforeMinor, afterMinor, earlierMinor, laterMinor }: CoinAroundSweep): bigint {
  const heldMinor = beforeMinor + earlierMinor
  return afterMinor < heldMinor + laterMinor ? heldMinor : 0n
}
