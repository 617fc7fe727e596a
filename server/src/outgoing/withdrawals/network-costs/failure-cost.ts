/** What a payment that fails on chain costs, in the asset that was to be paid. Everything here is pure. */
import { divide, min, roundToPlaces } from '../../../core/money.ts'

/** How the network's coin is turned into the asset of an order. */
export type CostRate =
  /** The asset is the coin. */
  | { readonly type: 'same' }
  /** Prices in 10^-12 USD per whole unit. */
  | {
      readonly type: 'priced'
      readonly coinPriceUsd: bigint
      readonly coinDecimals: number
      readonly assetPriceUsd: bigint
      readonly assetDecimals: number
    }

/** Balances are kept in steps of at most so many places. */
const placesMax = 8

/**
 * A network fee in the asset's smallest unit, rounded up to what balances show, so that no charge leaves a remainder
 * behind that nobody can withdraw.
 */
export function inAsset(coinMinor: bigint, rate: CostRate, assetDecimals: number): bigint {
  const minor = rate.type === 'same' ? coinMinor : divide(coinMinor * ratio(rate)[0], ratio(rate)[1], 'up')
  return roundToPlaces(minor, assetDecimals, Math.min(placesMax, assetDecimals), 'up')
}

/** What an amount of the asset pays of network fees, rounded down. */
export function inCoin(assetMinor: bigint, rate: CostRate): bigint {
  return rate.type === 'same' ? assetMinor : divide(assetMinor * ratio(rate)[1], ratio(rate)[0], 'down')
}

function ratio(rate: Extract<CostRate, { readonly type: 'priced' }>): readonly [bigint, bigint] {
  return [
    rate.coinPriceUsd * 10n ** BigInt(rate.assetDecimals),
    rate.assetPriceUsd * 10n ** BigInt(rate.coinDecimals),
  ]
}

export type FailureCover =
  /** @property feeLimitMinor up to this price per unit of gas the held amount covers a failure */
  | { readonly type: 'covered'; readonly feeLimitMinor: bigint }
  | { readonly type: 'short'; readonly leastMinor: bigint }

/** Whether a held amount covers what it costs at most if its payment fails on chain. */
export function coverFailure(order: {
  readonly amountMinor: bigint
  readonly assetDecimals: number
  readonly gas: bigint
  readonly maxFeeMinor: bigint
  readonly rate: CostRate
}): FailureCover {
  const { amountMinor, assetDecimals, gas, maxFeeMinor, rate } = order
  const leastMinor = inAsset(gas * maxFeeMinor, rate, assetDecimals)
  if (amountMinor < leastMinor) return { type: 'short', leastMinor }
  return { type: 'covered', feeLimitMinor: inCoin(amountMinor, rate) / gas }
}

/** What a failure on chain takes of a held amount: what it cost, and never more than is held. */
export function failureCharge(
  { amountMinor, assetDecimals }: { readonly amountMinor: bigint; readonly assetDecimals: number },
  costMinor: bigint,
  rate: CostRate,
): bigint {
  return min(amountMinor, inAsset(costMinor, rate, assetDecimals))
}
