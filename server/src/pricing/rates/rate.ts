/** What an asset is worth. Prices are counts of 10^-12 USD per whole unit; no float is involved anywhere. */
import { assert } from '../../core/assert.ts'
import { divide, max, rateDecimals, roundToPlaces, usdDecimals } from '../../core/money.ts'

/** What one source said. */
export interface Reading {
  readonly source: string
  readonly priceUsd: bigint
}

export interface Rate {
  readonly symbol: string
  /** 10^-12 USD per whole unit, above zero. */
  readonly priceUsd: bigint
  /** By the database's clock. */
  readonly takenAt: Date
  /** The readings that agreed: the price is their median. */
  readonly sources: readonly Reading[]
}

export type Agreement =
  | { readonly type: 'agreed'; readonly priceUsd: bigint; readonly sources: readonly Reading[] }
  | { readonly type: 'refused'; readonly reason: string }

export interface AgreementRules {
  /** How many sources must agree: at least three public ones in production, one where the operator names it. */
  readonly agreeingMin: number
  /** The last price we held, if it is recent: a new one far from it is not believed. */
  readonly previousUsd: bigint | undefined
}

/** Two venues of a liquid market differ by far less; more than this from the median is a fault, not a market. */
const deviationMaxBasisPoints = 200n
/** A price that moves by more than this factor since the last one held is not believed. */
const jumpMax = 3n

const payablePlacesMax = 6

/**
 * The price that enough sources agree on. A wrong price costs money and no price only time, so whatever is odd
 * is refused: zero, too few sources, sources far apart, a jump.
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
 * What `amountUsd` (10^-8 USD) is in an asset at `priceUsd`, in its smallest unit, rounded up to min(6, decimals)
 * places so that it never falls short; above zero for an amount above zero.
 */
export function fullAmountMinor(amountUsd: bigint, priceUsd: bigint, assetDecimals: number): bigint {
  assert(amountUsd > 0n && priceUsd > 0n, 'an amount to pay and its price are above zero')
  const usdAtRateScale = amountUsd * 10n ** BigInt(rateDecimals - usdDecimals)
  const exactMinor = divide(usdAtRateScale * 10n ** BigInt(assetDecimals), priceUsd, 'up')
  return roundToPlaces(exactMinor, assetDecimals, payablePlacesMax, 'up')
}

/** The middle reading; of an even number the mean of the two in the middle. */
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
  return { type: 'refused', reason: `${agreeing} of at least ${rules.agreeingMin} sources agree` }
}
