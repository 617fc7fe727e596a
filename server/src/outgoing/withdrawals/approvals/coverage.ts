/** Which orders a merchant's money covers that no chain can take back any more. */

/** One merchant's money in one asset, all read in one snapshot; in the asset's smallest unit. */
export interface Purse {
  /** What the books say is the merchant's: available and held. */
  readonly bookedMinor: bigint
  /** Credits in it that payouts have not proven: their blocks may still go, or their money was not seen there. */
  readonly unfinalMinor: bigint
  /** Final credits in it whose money cannot be taken from where it lies: others' would be paid out for it. */
  readonly stuckMinor: bigint
  /** Orders in it that are on their way out, or only wait for a person. */
  readonly promisedMinor: bigint
}

/**
 * The orders that are covered: the oldest first, each whole, and none before an older one that is not. What is promised
 * already is not promised again.
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
