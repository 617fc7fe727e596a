/**
 * Computes the cost of a payment that fails on chain, in the asset that was to be paid. Everything here is
 * pure.
 */
import { divide, min, roundToDecimals } from '../../../core/money.ts'

/** The rate at which the network's coin is converted into the asset of an order. */
export type CostRate =
  /** The asset is the coin itself, so nothing is converted. */
  | { readonly type: 'same' }
  /** Prices in 10^-12 USD per whole unit. */
  | {
      readonly type: 'priced'
      readonly coinPriceUsd: bigint
      readonly coinDecimals: number
      readonly assetPriceUsd: bigint
      readonly assetDecimals: number
    }

/** Balances are kept with at most this many decimal places. */
const decimalsMax = 8

/**
 * Converts a network fee from the coin's to the asset's smallest unit. The fee is rounded up to the decimal
 * places that balances show, so that no charge leaves a remainder that cannot be withdrawn.
 */
export function inAsset(coinMinor: bigint, rate: CostRate, assetDecimals: number): bigint {
  const minor = rate.type === 'same' ? coinMinor : divide(coinMinor * ratio(rate)[0], ratio(rate)[1], 'up')
  return roundToDecimals(minor, assetDecimals, Math.min(decimalsMax, assetDecimals), 'up')
}

/** Converts an amount from the asset's to the coin's smallest unit, rounded down. */
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
  /**
   * @property maxFeePerGasLimit the highest price per unit of gas at which the hold still covers a failure
   */
  | { readonly type: 'covered'; readonly maxFeePerGasLimit: bigint }
  | { readonly type: 'short'; readonly leastMinor: bigint }

/** Decides whether a hold covers the highest possible cost if its payment fails on chain. */
export function coverFailure(order: {
  readonly amountMinor: bigint
  readonly assetDecimals: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  /** What the network charges in addition to gas, whether the payment fails or not. */
  readonly dataFeeMinor?: bigint | undefined
  readonly rate: CostRate
}): FailureCover {
  const { amountMinor, assetDecimals, gas, maxFeePerGas, dataFeeMinor = 0n, rate } = order
  const leastMinor = inAsset(gas * maxFeePerGas + dataFeeMinor, rate, assetDecimals)
  if (amountMinor < leastMinor) return { type: 'short', leastMinor }
  return { type: 'covered', maxFeePerGasLimit: (inCoin(amountMinor, rate) - dataFeeMinor) / gas }
}

/**
 * Returns the amount that a failure on chain takes from a hold: the cost of the failure, but never more than
 * the hold.
 */
export function failureCharge(
  { amountMinor, assetDecimals }: { readonly amountMinor: bigint; readonly assetDecimals: number },
  costMinor: bigint,
  rate: CostRate,
): bigint {
  return min(amountMinor, inAsset(costMinor, rate, assetDecimals))
}
