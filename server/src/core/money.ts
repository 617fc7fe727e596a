/**
 * An amount is a bigint in the code: the number of smallest units of its asset (satoshi, wei). On the wire it
 * is a decimal string. No JavaScript `number` ever holds an amount. USD amounts are in units of 10^-8 USD,
 * and rates in units of 10^-12 USD.
 */
import { assert } from './assert.ts'

export const usdDecimals = 8
export const rateDecimals = 12

/**
 * The direction in which a division rounds. The caller of a division states the direction, because it decides
 * who gets the remainder.
 */
export type Rounding = 'up' | 'down'

const decimalPattern = /^(0|[1-9]\d*)(?:\.(\d+))?$/

/**
 * Parses a decimal as a whole number of units of 10^-`decimals`. Accepts only plain digits with an optional
 * fraction: "1e5", "+1", ".5", "1." and "٣" give undefined. A decimal with more fraction digits than
 * `decimals` also gives undefined; the value is never rounded.
 */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = decimalPattern.exec(text) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/**
 * Parses a decimal from a constant or a stored value, in the same way as `parseDecimal`.
 * @throws InvariantError if `parseDecimal` returns undefined for the text
 */
export function decimal(text: string, decimals: number): bigint {
  const value = parseDecimal(text, decimals)
  assert(value !== undefined, `"${text}" is not a decimal with at most ${decimals} decimal places`)
  return value
}

/** Formats a number of units of 10^-`decimals` exactly, without trailing zeros: (1500000n, 6) gives "1.5". */
export function formatDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

/** Divides with the given rounding. @throws InvariantError unless `numerator` >= 0 and `denominator` > 0 */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  assert(
    numerator >= 0n && denominator > 0n,
    'divide takes a non-negative numerator and a positive denominator',
  )
  const quotient = numerator / denominator
  return rounding === 'up' && quotient * denominator < numerator ? quotient + 1n : quotient
}

/**
 * Rounds a number of units of 10^-`decimals` to a multiple of 10^-`keptDecimals`. Returns the number
 * unchanged if `keptDecimals` is at least `decimals`.
 */
export function roundToDecimals(
  value: bigint,
  decimals: number,
  keptDecimals: number,
  rounding: Rounding,
): bigint {
  if (keptDecimals >= decimals) return value
  const step = 10n ** BigInt(decimals - keptDecimals)
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
