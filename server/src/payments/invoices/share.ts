import { divide, formatDecimal, usdDecimals } from '../../core/money.ts'
import type { Payment, PaymentRules } from './invoice.ts'

/** An exact share of an invoice's amount: 1/1 is the whole. */
export interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Returns the share that is enough for an invoice to be paid. */
export function neededShare({ toleranceBasisPoints }: PaymentRules): Share {
  return { numerator: BigInt(10_000 - toleranceBasisPoints), denominator: 10_000n }
}

/**
 * Returns the share of an invoice that some payments pay together. Payments at the same price are summed
 * before anything is multiplied, because there may be any number of payments but only a few prices.
 */
export function addUp(payments: readonly Payment[]): Share {
  const byFull = new Map<bigint, bigint>()
  for (const { amountMinor, fullMinor } of payments) {
    if (fullMinor !== undefined) byFull.set(fullMinor, (byFull.get(fullMinor) ?? 0n) + amountMinor)
  }
  let share: Share = { numerator: 0n, denominator: 1n }
  for (const [fullMinor, amountMinor] of byFull) {
    share = {
      numerator: share.numerator * fullMinor + amountMinor * share.denominator,
      denominator: share.denominator * fullMinor,
    }
  }
  return share
}

export function reaches(share: Share, needed: Share): boolean {
  return share.numerator * needed.denominator >= needed.numerator * share.denominator
}

/**
 * Returns whether an invoice is overpaid by at least the smallest amount that the checkout displays in the
 * asset of the last payment. A smaller difference is no overpayment, because prices are rounded up to such amounts.
 */
export function isOver(payments: readonly Payment[]): boolean {
  const last = payments.at(-1)
  if (last?.fullMinor === undefined) return false
  const { numerator, denominator } = addUp(payments)
  return (numerator - denominator) * last.fullMinor >= last.stepMinor * denominator
}

/**
 * Returns the first payment with which the sum reaches `needed`; undefined if all payments together do not.
 * Amounts are positive, so the sum only grows, and a binary search finds the payment.
 */
export function findCompleting(payments: readonly Payment[], needed: Share): Payment | undefined {
  if (!reaches(addUp(payments), needed)) return undefined
  let enough = payments.length
  let tooFew = 0
  while (enough - tooFew > 1) {
    const middle = (enough + tooFew) >> 1
    if (reaches(addUp(payments.slice(0, middle)), needed)) enough = middle
    else tooFew = middle
  }
  return payments[enough - 1]
}

/**
 * Returns the value in USD that was received for an invoice, rounded down. Each payment counts as the share
 * of the invoice that it pays at its own price. Paying exactly the quoted amount therefore gives exactly the
 * invoice's amount.
 */
export function paidUsd(amountUsd: bigint, payments: readonly Payment[]): string {
  const { numerator, denominator } = addUp(payments.filter(({ included }) => included))
  return formatDecimal(divide(amountUsd * numerator, denominator, 'down'), usdDecimals)
}
