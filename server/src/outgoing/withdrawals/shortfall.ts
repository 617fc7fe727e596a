/** What a deposit that its chain took back leaves missing, and who bears it. */

export interface Cancellable {
  readonly id: string
  readonly amountMinor: bigint
}

export interface Cover<W> {
  /** To be cancelled; their holds return. */
  readonly cancelled: readonly W[]
  /** What is still missing then, and is owed from now on. */
  readonly owedMinor: bigint
}

/**
 * Cancels as few orders as it takes, the newest first: what was ordered first is sent first. Only what no cancelled order
 * covers is owed.
 * @param newestFirst the merchant's withdrawals in the asset for which nothing is planned
 */
export function coverShortfall<W extends Cancellable>(
  shortMinor: bigint,
  newestFirst: readonly W[],
): Cover<W> {
  let missingMinor = shortMinor
  const cancelled: W[] = []
  for (const withdrawal of newestFirst) {
    if (missingMinor <= 0n) break
    cancelled.push(withdrawal)
    missingMinor -= withdrawal.amountMinor
  }
  return { cancelled, owedMinor: missingMinor > 0n ? missingMinor : 0n }
}
