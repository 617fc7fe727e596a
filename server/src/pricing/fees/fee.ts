/** What a transaction costs a merchant. Fees round up and nets round down: a remainder never leaves the books. */
import {
  decimal,
  divide,
  formatDecimal,
  min,
  parseDecimal,
  rateDecimals,
  roundToPlaces,
  usdDecimals,
} from '../../core/money.ts'

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

/** What is charged where no operator set a schedule; a value of the installation. */
export interface FeeDefaults {
  readonly percentBasisPoints: number
  /** The flat fee in stablecoins, in 10^-8 of a whole unit; elsewhere there is none. */
  readonly stableFlat: bigint
}

/** A sandbox shows what fees look like; in production nothing is kept that no operator asked for. */
export const feeDefaults: Readonly<Record<'sandbox' | 'production', FeeDefaults>> = {
  sandbox: { percentBasisPoints: 100, stableFlat: decimal('0.1', usdDecimals) },
  production: { percentBasisPoints: 0, stableFlat: 0n },
}

/** What fees need to know of an asset. */
export interface FeeAsset {
  readonly decimals: number
  readonly isStable: boolean
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

/** Whether a schedule costs a merchant something that only a price can tell. */
export function needsPrice({ flat }: Pick<FeeSchedule, 'flat'>): boolean {
  return 'usd' in flat && flat.usd > 0n
}

/**
 * Settles a schedule for an asset. A flat fee in USD is converted at `priceUsd` (10^-12 USD per whole unit), rounded
 * up to min(8, decimals) places; it is not charged where there is no price.
 */
export function termsFor(
  { percentBasisPoints, flat }: Pick<FeeSchedule, 'percentBasisPoints' | 'flat'>,
  { assetDecimals, priceUsd }: { assetDecimals: number; priceUsd: bigint | undefined },
): FeeTerms {
  if ('minor' in flat) return { percentBasisPoints, flatMinor: flat.minor }
  if (flat.usd === 0n || priceUsd === undefined) return { percentBasisPoints, flatMinor: 0n }
  const usdAtRateScale = flat.usd * 10n ** BigInt(rateDecimals - usdDecimals)
  const exactMinor = divide(usdAtRateScale * 10n ** BigInt(assetDecimals), priceUsd, 'up')
  return { percentBasisPoints, flatMinor: roundToPlaces(exactMinor, assetDecimals, shownDecimalsMax, 'up') }
}

/** The schedule of an installation's defaults: of an asset where there is one, else in USD. */
export function defaultSchedule(defaults: FeeDefaults, type: FeeType, asset?: FeeAsset): FeeSchedule {
  const { percentBasisPoints, stableFlat } = defaults
  if (asset === undefined) return { type, percentBasisPoints, flat: { usd: 0n } }
  const exactMinor = divide(stableFlat * 10n ** BigInt(asset.decimals), 10n ** BigInt(usdDecimals), 'up')
  return { type, percentBasisPoints, flat: { minor: asset.isStable ? exactMinor : 0n } }
}

/** What deposits to an invoice are charged by: its type. Money that reaches one that pays out is a single payment. */
export function feeTypeOf(invoiceType: 'onetime' | 'reusable' | 'collect' | 'withdraw' | undefined): FeeType {
  return invoiceType === undefined || invoiceType === 'withdraw' ? 'onetime' : invoiceType
}

/** "1.5" of 150 basis points. */
export function formatPercent(basisPoints: number): string {
  return formatDecimal(BigInt(basisPoints), 2)
}

/** 150 basis points of "1.5"; undefined for what is no percentage of at most 2 places up to 100. */
export function parsePercent(text: string): number | undefined {
  const basisPoints = parseDecimal(text, 2)
  return basisPoints === undefined || basisPoints > basisPointsPerWhole ? undefined : Number(basisPoints)
}
