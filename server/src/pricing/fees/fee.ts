/**
 * Computes the fee that a merchant pays for a transaction. Fees are rounded up and nets are rounded down, so
 * fee and net always add up to the gross.
 */
import {
  decimal,
  divide,
  formatDecimal,
  min,
  parseDecimal,
  rateDecimals,
  roundToDecimals,
  usdDecimals,
} from '../../core/money.ts'

export const feeTypes = ['onetime', 'reusable', 'collect', 'withdrawal'] as const
export type FeeType = (typeof feeTypes)[number]

/**
 * The flat part of a fee, in the asset's smallest unit or in 10^-8 USD. An amount in USD is converted to the
 * asset at the current price.
 */
export type FlatFee = { readonly minor: bigint } | { readonly usd: bigint }

export interface FeeSchedule {
  readonly type: FeeType
  /** The percentage, in basis points (hundredths of a percent): 150 is 1.5 %. */
  readonly percentBasisPoints: number
  readonly flat: FlatFee
}

/**
 * The fee terms that apply if no operator set a schedule. Every installation has exactly one set of defaults.
 */
export interface FeeDefaults {
  readonly percentBasisPoints: number
  /** The flat fee for stablecoins, in 10^-8 of a whole unit. Other assets have no default flat fee. */
  readonly stableFlat: bigint
}

/**
 * The sandbox charges fees so that integrators see them. Production charges no fee until an operator sets
 * one.
 */
export const feeDefaults: Readonly<Record<'sandbox' | 'production', FeeDefaults>> = {
  sandbox: { percentBasisPoints: 100, stableFlat: decimal('0.1', usdDecimals) },
  production: { percentBasisPoints: 0, stableFlat: 0n },
}

/** The properties of an asset that its fees depend on. */
export interface FeeAsset {
  readonly decimals: number
  readonly isStable: boolean
}

/** A schedule that was resolved for one asset at one price. It is stored with the deposit. */
export interface FeeTerms {
  readonly percentBasisPoints: number
  /** The flat fee in the asset's smallest unit. */
  readonly flatMinor: bigint
}

export interface Charge {
  readonly feeMinor: bigint
  readonly netMinor: bigint
}

/**
 * Maximum number of decimal places with which balances are shown to merchants. Smaller amounts are not
 * credited.
 */
const shownDecimalsMax = 8
const basisPointsPerWhole = 10_000n

/**
 * Splits `grossMinor` into fee and net, exactly: gross = fee + net. The percentage is rounded up to the
 * smallest unit, and the fee never exceeds the gross. The net is a multiple of 10^-min(8, decimals), and the
 * remainder belongs to the fee.
 */
export function charge(grossMinor: bigint, terms: FeeTerms, assetDecimals: number): Charge {
  const percentMinor = divide(grossMinor * BigInt(terms.percentBasisPoints), basisPointsPerWhole, 'up')
  const wantedMinor = min(grossMinor, percentMinor + terms.flatMinor)
  const netMinor = roundToDecimals(grossMinor - wantedMinor, assetDecimals, shownDecimalsMax, 'down')
  return { feeMinor: grossMinor - netMinor, netMinor }
}

/** Decides whether a schedule has a flat fee in USD. Such a fee needs a price to be converted. */
export function needsPrice({ flat }: Pick<FeeSchedule, 'flat'>): boolean {
  return 'usd' in flat && flat.usd > 0n
}

/**
 * Resolves a schedule for an asset. A flat fee in USD is converted at `priceUsd` (10^-12 USD per whole unit)
 * and rounded up to min(8, decimals) places. Without a price, no flat fee in USD is charged.
 */
export function termsFor(
  { percentBasisPoints, flat }: Pick<FeeSchedule, 'percentBasisPoints' | 'flat'>,
  { assetDecimals, priceUsd }: { assetDecimals: number; priceUsd: bigint | undefined },
): FeeTerms {
  if ('minor' in flat) return { percentBasisPoints, flatMinor: flat.minor }
  if (flat.usd === 0n || priceUsd === undefined) return { percentBasisPoints, flatMinor: 0n }
  const usdAtRateScale = flat.usd * 10n ** BigInt(rateDecimals - usdDecimals)
  const exactMinor = divide(usdAtRateScale * 10n ** BigInt(assetDecimals), priceUsd, 'up')
  return { percentBasisPoints, flatMinor: roundToDecimals(exactMinor, assetDecimals, shownDecimalsMax, 'up') }
}

/**
 * Builds the default schedule of an installation. Its flat fee is in the asset if an asset is given,
 * otherwise in USD.
 */
export function defaultSchedule(defaults: FeeDefaults, type: FeeType, asset?: FeeAsset): FeeSchedule {
  const { percentBasisPoints, stableFlat } = defaults
  if (asset === undefined) return { type, percentBasisPoints, flat: { usd: 0n } }
  const exactMinor = divide(stableFlat * 10n ** BigInt(asset.decimals), 10n ** BigInt(usdDecimals), 'up')
  return { type, percentBasisPoints, flat: { minor: asset.isStable ? exactMinor : 0n } }
}

/**
 * Returns the fee type for deposits to an invoice, which depends on the invoice's type. A deposit to a
 * withdraw invoice, or to no invoice, is charged as `onetime`.
 */
export function feeTypeOf(invoiceType: 'onetime' | 'reusable' | 'collect' | 'withdraw' | undefined): FeeType {
  return invoiceType === undefined || invoiceType === 'withdraw' ? 'onetime' : invoiceType
}

/** Formats 150 basis points as "1.5". */
export function formatPercent(basisPoints: number): string {
  return formatDecimal(BigInt(basisPoints), 2)
}

/**
 * Parses "1.5" as 150 basis points. Returns undefined if the text is not a percentage from 0 to 100 with at
 * most 2 decimal places.
 */
export function parsePercent(text: string): number | undefined {
  const basisPoints = parseDecimal(text, 2)
  return basisPoints === undefined || basisPoints > basisPointsPerWhole ? undefined : Number(basisPoints)
}
