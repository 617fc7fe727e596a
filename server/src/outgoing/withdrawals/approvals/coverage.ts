/** Decides which orders are covered by money of their merchant that can no longer be reversed on chain. */

/** One merchant's money in one asset, read in one snapshot, in the asset's smallest unit. */
export interface Purse {
  /** The merchant's balance in the books: the sum of available and held. */
  readonly bookedMinor: bigint
  /**
   * Credits that the role `payouts` has not proven, because their blocks can still be reversed or the money
   * was not found on chain.
   */
  readonly unfinalMinor: bigint
  /**
   * Proven credits whose money cannot be moved from its address or output. If such credits covered orders,
   * other merchants' money would pay for these orders.
   */
  readonly stuckMinor: bigint
  /** The sum of the orders that are approved but not yet paid, or that wait only for an operator. */
  readonly promisedMinor: bigint
}

/**
 * Returns the covered orders, oldest first. An order is covered as a whole or not at all, and no order after
 * an uncovered one is covered. Money that is promised to other orders does not count.
 * @param oldestFirst the merchant's queued orders in the asset
 */
export function coveredBy<W extends { readonly amountMinor: bigint }>(
  { bookedMinor, unfinalMinor, stuckMinor, promisedMinor }: Purse,
  oldestFirst: readonly W[],
): readonly W[] {
  let freeMinor = bookedMinor - unfinalMinor - stuckMinor - promisedMinor
  const uncovered = oldestFirst.findIndex(({ amountMinor }) => {
    freeMinor -= amountMinor
    return freeMinor < 0n
  })
  return uncovered === -1 ? oldestFirst : oldestFirst.slice(0, uncovered)
}
