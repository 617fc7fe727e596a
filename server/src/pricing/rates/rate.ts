/** Decides the price of an asset. Prices are counts of 10^-12 USD per whole unit, and no float is used. */
import { assert } from '../../core/assert.ts'
import { divide, max, rateDecimals, roundToDecimals, usdDecimals } from '../../core/money.ts'

/** The price that one source reported. */
export interface Reading {
  readonly source: string
  readonly priceUsd: bigint
}

export interface Rate {
  readonly symbol: string
  /** In 10^-12 USD per whole unit; greater than zero. */
  readonly priceUsd: bigint
  /** The time when the price was stored, by the database's clock. */
  readonly takenAt: Date
  /** The readings that agreed. The price is the median of these readings. */
  readonly sources: readonly Reading[]
}

export type Agreement =
  | { readonly type: 'agreed'; readonly priceUsd: bigint; readonly sources: readonly Reading[] }
  | { readonly type: 'refused'; readonly reason: string }

export interface AgreementRules {
  /**
   * The number of sources that must agree: 3 public sources, or all of them if fewer than 3 are configured.
   */
  readonly agreeingMin: number
  /** The last stored price, if that price is recent. A new price far from it is rejected. */
  readonly previousUsd: bigint | undefined
}

/**
 * Maximum deviation from the median. On a liquid market the prices of two exchanges differ by far less. A
 * reading with a larger deviation is therefore an error of its source.
 */
const deviationMaxBasisPoints = 200n
/** A price is rejected if it changed by more than this factor since the last stored price. */
const jumpMax = 3n

const payableDecimalsMax = 6

/**
 * Returns the price on which enough sources agree. A wrong price costs money, but a missing price costs only
 * time. The function therefore rejects a price of zero, too few sources, sources that are far apart, and a
 * jump since the last price.
 */
export function agree(readings: readonly Reading[], rules: AgreementRules): Agreement {
  const positive = readings.filter((reading) => reading.priceUsd > 0n)
  if (positive.length < rules.agreeingMin) return refused(positive.length, rules)
  const middle = median(positive)
  const sources = positive.filter((reading) => isNear(reading.priceUsd, middle))
  if (sources.length < rules.agreeingMin) return refused(sources.length, rules)
  const priceUsd = median(sources)
  const { previousUsd } = rules
  if (previousUsd !== undefined && isJump(priceUsd, previousUsd)) {
    return { type: 'refused', reason: `the price jumped from ${previousUsd} to ${priceUsd}` }
  }
  return { type: 'agreed', priceUsd, sources }
}

/**
 * Converts `amountUsd` (10^-8 USD) to the asset's smallest unit at `priceUsd`. The result is rounded up to
 * min(6, decimals) places, so the result is never zero and never worth less than `amountUsd`.
 */
export function fullAmountMinor(amountUsd: bigint, priceUsd: bigint, assetDecimals: number): bigint {
  assert(amountUsd > 0n && priceUsd > 0n, 'an amount to pay and its price are above zero')
  const usdAtRateScale = amountUsd * 10n ** BigInt(rateDecimals - usdDecimals)
  const exactMinor = divide(usdAtRateScale * 10n ** BigInt(assetDecimals), priceUsd, 'up')
  return roundToDecimals(exactMinor, assetDecimals, payableDecimalsMax, 'up')
}

/**
 * Returns the middle reading. If the number of readings is even, it returns the mean of the two middle
 * readings.
 */
export function median(readings: readonly Reading[]): bigint {
  const prices = readings.map((reading) => reading.priceUsd).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const upper = prices[Math.floor(prices.length / 2)]
  const lower = prices[Math.floor((prices.length - 1) / 2)]
  assert(upper !== undefined && lower !== undefined, 'a median needs a reading')
  return (lower + upper) / 2n
}

function isNear(priceUsd: bigint, middle: bigint): boolean {
  const apart = max(priceUsd - middle, middle - priceUsd)
  return apart * 10_000n <= middle * deviationMaxBasisPoints
}

function isJump(priceUsd: bigint, previousUsd: bigint): boolean {
  return priceUsd > previousUsd * jumpMax || priceUsd * jumpMax < previousUsd
}

function refused(agreeing: number, rules: AgreementRules): Agreement {
  return { type: 'refused', reason: `only ${agreeing} sources agree, ${rules.agreeingMin} are required` }
}
