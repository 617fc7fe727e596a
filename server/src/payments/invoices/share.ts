import { divide, formatDecimal, usdDecimals } from '../../core/money.ts'
import type { Payment, PaymentRules } from './invoice.ts'

/** A share of an invoice's amount, exact: 1/1 is the whole. */
export interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** What is enough to be paid. */
export function neededShare({ toleranceBasisPoints }: PaymentRules): Share {
  return { numerator: BigInt(10_000 - toleranceBasisPoints), denominator: 10_000n }
}

/**
 * Adds payments up. Those at one price are summed before anything is multiplied: there are few prices, but anyone
 * may send an invoice any number of payments.
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

/** Over by at least a step a payer can see, in the asset paid last: rounding up a remainder is no overpayment. */
export function isOver(payments: readonly Payment[]): boolean {
  const last = payments.at(-1)
  if (last?.fullMinor === undefined) return false
  const { numerator, denominator } = addUp(payments)
  return (numerator - denominator) * last.fullMinor >= last.stepMinor * denominator
}

/** The first payment with which the sum is enough. Amounts are above zero, so the sum only grows: found by halving. */
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
 * What came in for an invoice, in USD at the prices its payments are valued at, rounded down: each payment is worth its
 * share of the invoice, so that paying exactly what was quoted shows exactly what was asked.
 */
export function paidUsd(amountUsd: bigint, payments: readonly Payment[]): string {
  const { numerator, denominator } = addUp(payments.filter(({ included }) => included))
  return formatDecimal(divide(amountUsd * numerator, denominator, 'down'), usdDecimals)
}
