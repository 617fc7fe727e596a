/** What a merchant took in over some days: pure sums of what is stored, in USD at the prices the payments were valued at. */
import { divide, rateDecimals, usdDecimals } from '../../core/money.ts'

/** Most days of an overview. */
export const overviewDaysMax = 366
export const overviewDays = 30

const dayMs = 86_400_000
const usdPlaces = 2

/** Whole days of UTC, both included. */
export interface DayRange {
  readonly from: Date
  readonly to: Date
}

/** Payments of one method that were confirmed on one day. */
export interface DayOfMethod {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly paymentMethodId: number
  readonly payments: number
  readonly amountMinor: bigint
  /** The sum of amount times price; in 10^-(decimals + 12) USD. */
  readonly worth: bigint
  /** Payments without a price, which count for nothing in `worth`. */
  readonly unpriced: number
}

/** Invoices created on one day, by what became of them so far. */
export interface DayOfInvoices {
  readonly day: string
  readonly created: number
  readonly paid: number
  readonly expired: number
}

/** The `YYYY-MM-DD` of every day of a range. */
export function daysOf({ from, to }: DayRange): readonly string[] {
  const count = Math.round((to.getTime() - from.getTime()) / dayMs) + 1
  return Array.from({ length: count }, (_, index) => dayText(new Date(from.getTime() + index * dayMs)))
}

export function dayText(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** Midnight of a day, UTC; undefined where there is no such day. */
export function readDay(text: string): Date | undefined {
  const at = new Date(`${text}T00:00:00.000Z`)
  return Number.isNaN(at.getTime()) || dayText(at) !== text ? undefined : at
}

/** The last `count` days up to the one of `now`. */
export function lastDays(now: Date, count: number): DayRange {
  const to = new Date(Math.floor(now.getTime() / dayMs) * dayMs)
  return { from: new Date(to.getTime() - (count - 1) * dayMs), to }
}

/** As many days, up to the one before the first. */
export function daysBefore({ from, to }: DayRange): DayRange {
  const first = from.getTime() - (to.getTime() - from.getTime()) - dayMs
  return { from: new Date(first), to: new Date(from.getTime() - dayMs) }
}

/** In 10^-8 USD, rounded down: never more than was there. */
export function usdOfWorth(worth: bigint, assetDecimals: number): bigint {
  return divide(worth, 10n ** BigInt(assetDecimals + rateDecimals - usdDecimals), 'down')
}

/** 10^-8 USD as people read money: `1234.50`, rounded down to cents. */
export function usdText(usdMinor: bigint): string {
  const cents = divide(usdMinor, 10n ** BigInt(usdDecimals - usdPlaces), 'down')
  const digits = cents.toString().padStart(usdPlaces + 1, '0')
  return `${digits.slice(0, -usdPlaces)}.${digits.slice(-usdPlaces)}`
}

/** `part` of `whole` in percent with one place, rounded down; null where there is no whole. */
export function percentText(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null
  const tenths = divide(part * 1000n, whole, 'down')
  return `${tenths / 10n}.${tenths % 10n}`
}

/** By how much `now` is more than `before`, in percent likewise, with a minus where it is less; null where nothing was before. */
export function changeText(now: bigint, before: bigint): string | null {
  const size = percentText(now > before ? now - before : before - now, before)
  return size === null || now >= before ? size : `-${size}`
}
