/**
 * Decides which orders are cancelled to cover the amount that is missing after a deposit was reversed, and
 * how much the merchant then owes.
 */

export interface Cancellable {
  readonly id: string
  readonly amountMinor: bigint
}

export interface Cover<W> {
  /** The orders to cancel; their holds are released. */
  readonly cancelled: readonly W[]
  /** The amount that is still missing after these orders are cancelled. The merchant owes it from now on. */
  readonly owedMinor: bigint
}

/**
 * Chooses the orders to cancel. Starts with the newest, because the oldest are sent first, and stops when the
 * shortfall is covered. If all of them do not cover it, the rest becomes a negative balance.
 * @param newestFirst the merchant's withdrawals in this asset for which no transaction is planned
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
