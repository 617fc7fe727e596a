import type { TrueTransfer } from './true-transfer.ts'

/** The share of an invoice that is the whole. */
export const whole = 10n ** 18n

/**
 * Returns the share of an invoice that some transfers pay, each at its own price. The share of each transfer is rounded
 * down.
 * @param fullOf returns the amount that pays the whole invoice at the price of a transfer
 */
export function shareOf(
  transfers: readonly TrueTransfer[],
  fullOf: (transfer: TrueTransfer) => bigint,
): bigint {
  return transfers.reduce((total, one) => total + (one.amountMinor * whole) / fullOf(one), 0n)
}
