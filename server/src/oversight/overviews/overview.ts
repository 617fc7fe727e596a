/**
 * Pure functions that compute what a merchant received in a range of days. They sum stored values in USD, at
 * the exchange rates at which the payments were valued.
 */
import { divide, rateDecimals, usdDecimals } from '../../core/money.ts'

/** The longest range of an overview, in days: one leap year. */
export const overviewDaysMax = 366
export const overviewDays = 30

const dayMs = 86_400_000
const shownUsdDecimals = 2

/** Whole UTC days, both ends included. */
export interface DayRange {
  readonly from: Date
  readonly to: Date
}

/** The payments of one payment method that were confirmed on one day. */
export interface DayOfMethod {
  /** The UTC day as `YYYY-MM-DD`. */
  readonly day: string
  readonly paymentMethodId: number
  readonly payments: number
  readonly amountMinor: bigint
  /**
   * The sum of `amountMinor` times price over the payments. The unit is 10^-(the asset's decimals + 12) USD.
   */
  readonly worth: bigint
  /** The number of payments without a price, which add nothing to `worth`. */
  readonly unpriced: number
}

/** The invoices created on one day, counted by their present state. */
export interface DayOfInvoices {
  readonly day: string
  readonly created: number
  readonly paid: number
  readonly expired: number
}

/** Returns every day of a range as `YYYY-MM-DD`. */
export function daysOf({ from, to }: DayRange): readonly string[] {
  const count = Math.round((to.getTime() - from.getTime()) / dayMs) + 1
  return Array.from({ length: count }, (_, index) => dayText(new Date(from.getTime() + index * dayMs)))
}

export function dayText(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** Returns midnight UTC of a day given as `YYYY-MM-DD`, or undefined if there is no such day. */
export function readDay(text: string): Date | undefined {
  const at = new Date(`${text}T00:00:00.000Z`)
  return Number.isNaN(at.getTime()) || dayText(at) !== text ? undefined : at
}

/** Returns a range of `count` UTC days. The last day contains `now`. */
export function lastDays(now: Date, count: number): DayRange {
  const to = new Date(Math.floor(now.getTime() / dayMs) * dayMs)
  return { from: new Date(to.getTime() - (count - 1) * dayMs), to }
}

/** Returns the range of the same length that ends on the day before `from`. */
export function daysBefore({ from, to }: DayRange): DayRange {
  const first = from.getTime() - (to.getTime() - from.getTime()) - dayMs
  return { from: new Date(first), to: new Date(from.getTime() - dayMs) }
}

/** Converts `worth`, in units of 10^-(assetDecimals + 12) USD, to units of 10^-8 USD, rounded down. */
export function usdOfWorth(worth: bigint, assetDecimals: number): bigint {
  return divide(worth, 10n ** BigInt(assetDecimals + rateDecimals - usdDecimals), 'down')
}

/** Formats an amount in units of 10^-8 USD as dollars and cents, such as `1234.50`, rounded down. */
export function usdText(usdMinor: bigint): string {
  const cents = divide(usdMinor, 10n ** BigInt(usdDecimals - shownUsdDecimals), 'down')
  const digits = cents.toString().padStart(shownUsdDecimals + 1, '0')
  return `${digits.slice(0, -shownUsdDecimals)}.${digits.slice(-shownUsdDecimals)}`
}

/** Returns `part` as a percentage of `whole` with one decimal, rounded down; null if `whole` is zero. */
export function percentText(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null
  const tenths = divide(part * 1000n, whole, 'down')
  return `${tenths / 10n}.${tenths % 10n}`
}

/**
 * Returns the change from `before` to `now` in percent with one decimal, negative for a decrease; null if
 * `before` is zero.
 */
export function changeText(now: bigint, before: bigint): string | null {
  const size = percentText(now > before ? now - before : before - now, before)
  return size === null || now >= before ? size : `-${size}`
}
