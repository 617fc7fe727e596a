/** What a transaction costs a merchant. Fees round up and nets round down: a remainder never leaves the books. */
import { divide, min, rateDecimals, roundToPlaces, usdDecimals } from '../core/money.ts'

export const feeTypes = ['onetime', 'reusable', 'collect', 'withdrawal'] as const
export type FeeType = (typeof feeTypes)[number]

/** The flat part: in the asset's smallest unit, or in 10^-8 USD to be converted at the payment's price. */
export type FlatFee = { readonly minor: bigint } | { readonly usd: bigint }

export interface FeeSchedule {
  readonly type: FeeType
  /** Hundredths of a percent: 150 is 1.5 %. */
  readonly percentBasisPoints: number
  readonly flat: FlatFee
}

/** A schedule settled for one asset at one price; kept on the transaction. */
export interface FeeTerms {
  readonly percentBasisPoints: number
  /** In the asset's smallest unit. */
  readonly flatMinor: bigint
}

export interface Charge {
  readonly feeMinor: bigint
  readonly netMinor: bigint
}

/** Merchants' balances are shown with at most so many places, so nothing smaller is credited to them. */
const shownDecimalsMax = 8
const basisPointsPerWhole = 10_000n

/**
 * Splits `grossMinor` into fee and net, exactly: gross = fee + net. The percentage rounds up to the smallest unit,
 * the fee never exceeds the gross, and the net is a multiple of 10^-min(8, decimals), its remainder in the fee.
 */
export function charge(grossMinor: bigint, terms: FeeTerms, assetDecimals: number): Charge {
  const percentMinor = divide(grossMinor * BigInt(terms.percentBasisPoints), basisPointsPerWhole, 'up')
  const wantedMinor = min(grossMinor, percentMinor + terms.flatMinor)
  const netMinor = roundToPlaces(grossMinor - wantedMinor, assetDecimals, shownDecimalsMax, 'down')
  return { feeMinor: grossMinor - netMinor, netMinor }
}

/**
 * Settles a schedule for an asset. A flat fee in USD is converted at `priceUsd` (10^-12 USD per whole unit), rounded
 * up to min(8, decimals) places.
 */
export function termsFor(
  schedule: Pick<FeeSchedule, 'percentBasisPoints' | 'flat'>,
  { assetDecimals, priceUsd }: { assetDecimals: number; priceUsd: bigint },
): FeeTerms {
  const { percentBasisPoints, flat } = schedule
  if ('minor' in flat) return { percentBasisPoints, flatMinor: flat.minor }
  const usdAtRateScale = flat.usd * 10n ** BigInt(rateDecimals - usdDecimals)
  const exactMinor = divide(usdAtRateScale * 10n ** BigInt(assetDecimals), priceUsd, 'up')
  return { percentBasisPoints, flatMinor: roundToPlaces(exactMinor, assetDecimals, shownDecimalsMax, 'up') }
}

/** What the sandbox charges where no schedule is stored: 1 percent, and 0.10 flat in a stablecoin. */
export function sandboxSchedule(type: FeeType, asset?: { symbol: string; decimals: number }): FeeSchedule {
  const isStable = asset?.symbol === 'USDT' || asset?.symbol === 'USDC'
  const flatMinor = isStable && asset !== undefined ? 10n ** BigInt(asset.decimals) / 10n : 0n
  return { type, percentBasisPoints: 100, flat: { minor: flatMinor } }
}
