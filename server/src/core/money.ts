/**
 * Amounts are whole counts of an asset's smallest unit (satoshi, wei) in a bigint; on the wire they are decimal
 * strings. No JS number ever holds money. USD figures are counts of 10^-8 USD, rates counts of 10^-12 USD.
 */
import { assert } from './assert.ts'

export const usdDecimals = 8
export const rateDecimals = 12

/** Whom a remainder favours is said at every division. */
export type Rounding = 'up' | 'down'

const decimalPattern = /^(0|[1-9]\d*)(?:\.(\d+))?$/

/**
 * Reads a decimal as a count of 10^-`decimals`.
 * Returns undefined for anything but plain digits with an optional fraction ("1e5", "+1", ".5", "1.", "٣"), and for
 * more places than `decimals`: a digit that cannot be kept is refused, never rounded.
 */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = decimalPattern.exec(text) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** As `parseDecimal`, for constants and stored values, where a bad decimal is our own fault. */
export function decimal(text: string, decimals: number): bigint {
  const value = parseDecimal(text, decimals)
  assert(value !== undefined, `"${text}" is no decimal with at most ${decimals} places`)
  return value
}

/** Writes a count of 10^-`decimals` exactly, without trailing zeros: (1500000n, 6) -> "1.5". */
export function formatDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

/** Division of non-negative counts with a named rounding. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  assert(numerator >= 0n && denominator > 0n, 'divide takes a count and a positive divisor')
  const quotient = numerator / denominator
  return rounding === 'up' && quotient * denominator < numerator ? quotient + 1n : quotient
}

/** Rounds a count of 10^-`decimals` to a multiple of 10^-`places`; exact where the asset has no more places. */
export function roundToPlaces(value: bigint, decimals: number, places: number, rounding: Rounding): bigint {
  if (places >= decimals) return value
  const step = 10n ** BigInt(decimals - places)
  return divide(value, step, rounding) * step
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function sum(values: Iterable<bigint>): bigint {
  let total = 0n
  for (const value of values) total += value
  return total
}
