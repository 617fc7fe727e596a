/**
 * The minimum amounts to collect and to withdraw. Operators set a minimum either in USD for all methods, or
 * in an asset for one method. For withdrawals, each minimum is converted to the asset at a fixed ratio, so
 * the check needs no exchange rate.
 */
import { decimal, divide, max, min, roundToDecimals, usdDecimals } from '../../core/money.ts'

export const limitTypes = ['collect', 'withdraw'] as const
export type LimitType = (typeof limitTypes)[number]

/**
 * The merchant and the method to which a minimum applies. Without a merchant the minimum applies to all
 * merchants, and without a method to all methods.
 */
export interface LimitKey {
  readonly merchantId?: string | undefined
  readonly paymentMethodId?: number | undefined
  readonly type: LimitType
}

/**
 * A minimum that an operator set. Its unit is 10^-8 USD if it applies to all methods, and the asset's
 * smallest unit if it applies to one method.
 */
export interface LimitOverride extends LimitKey {
  readonly minimum: { readonly usd: bigint } | { readonly minor: bigint }
}

/** The properties of a payment method that limits depend on. */
export interface LimitedMethod {
  readonly id: number
  readonly symbol: string
  readonly decimals: number
  readonly minimumMinor: bigint
}

export interface MethodLimits {
  readonly method: LimitedMethod
  readonly minCollectMinor: bigint
  readonly minWithdrawMinor: bigint
  /** `minCollectMinor` and `minWithdrawMinor` in 10^-8 USD, the unit of invoice amounts. */
  readonly minCollectUsd: bigint
  readonly minWithdrawUsd: bigint
}

/** The minimums of one merchant. USD amounts are counts of 10^-8 USD. */
export interface Limits {
  /**
   * The lowest minimum of all the merchant's methods. Every collect invoice below this amount is rejected.
   */
  readonly minCollectUsd: bigint
  /**
   * The lowest minimum of all the merchant's methods. A withdrawal that is worth less is rejected in every
   * method.
   */
  readonly minWithdrawUsd: bigint
  /** One entry for each enabled method, sorted by id. */
  readonly methods: readonly MethodLimits[]
}

/** The minimums that apply if no operator set one. */
const defaultMinimumUsd: Readonly<Record<LimitType, bigint>> = {
  collect: decimal('1', usdDecimals),
  withdraw: decimal('1', usdDecimals),
}

/**
 * The catalogue states a minimum for each payment method in its asset. By definition, this minimum is worth
 * 0.5 USD. Other minimums in USD are converted to the asset with this fixed ratio and not with a rate, so the
 * result is the same every day.
 */
export const methodMinimumUsd = decimal('0.5', usdDecimals)

/**
 * Maximum number of decimal places with which balances are shown. A minimum in an asset has no more places.
 */
const shownDecimalsMax = 8

/**
 * Resolves the minimums of a merchant from the overrides for this merchant and the overrides for all
 * merchants.
 */
export function limitsFrom(methods: readonly LimitedMethod[], overrides: readonly LimitOverride[]): Limits {
  const settled = methods.map((method) => ({
    method,
    collect: figureFor(method, 'collect', overrides),
    withdraw: figureFor(method, 'withdraw', overrides),
  }))
  const least = (type: LimitType) =>
    settled
      .map((one) => one[type].usd)
      .reduce((a, b) => min(a, b), settled[0]?.[type].usd ?? stated(type, overrides))
  return {
    minCollectUsd: least('collect'),
    minWithdrawUsd: least('withdraw'),
    methods: settled.map(({ method, collect, withdraw }) => ({
      method,
      minCollectMinor: collect.minor,
      minCollectUsd: collect.usd,
      minWithdrawMinor: withdraw.minor,
      minWithdrawUsd: withdraw.usd,
    })),
  }
}

/**
 * Returns the minimum USD amount of a collect or withdraw invoice that offers these methods. It is the
 * highest of the methods' minimums.
 */
export function minimumUsdFor(limits: Limits, type: LimitType, paymentMethodIds: readonly number[]): bigint {
  const figureOf = type === 'collect' ? minCollectOf : minWithdrawOf
  return limits.methods
    .filter(({ method }) => paymentMethodIds.includes(method.id))
    .reduce((highest, one) => max(highest, figureOf(one)), figureOf(limits))
}

const minCollectOf = ({ minCollectUsd }: Pick<Limits, 'minCollectUsd'>) => minCollectUsd
const minWithdrawOf = ({ minWithdrawUsd }: Pick<Limits, 'minWithdrawUsd'>) => minWithdrawUsd

interface Figure {
  readonly usd: bigint
  readonly minor: bigint
}

/**
 * Returns the minimum of one method. The first override that exists in this order applies: for the merchant
 * and the method, for the merchant, for the method, for all.
 */
function figureFor(method: LimitedMethod, type: LimitType, overrides: readonly LimitOverride[]): Figure {
  const candidates = overrides.filter(
    (one) => one.type === type && (one.paymentMethodId === undefined || one.paymentMethodId === method.id),
  )
  const [chosen] = candidates.toSorted((a, b) => rank(a) - rank(b))
  const minimum = chosen?.minimum ?? { usd: defaultMinimumUsd[type] }
  if ('usd' in minimum) return { usd: minimum.usd, minor: toMinor(minimum.usd, method) }
  return { usd: divide(minimum.minor * methodMinimumUsd, method.minimumMinor, 'down'), minor: minimum.minor }
}

function rank({ merchantId, paymentMethodId }: LimitOverride): number {
  return (merchantId === undefined ? 2 : 0) + (paymentMethodId === undefined ? 1 : 0)
}

/**
 * Returns the minimum that was set for all methods. It is used in an installation that has no enabled method.
 */
function stated(type: LimitType, overrides: readonly LimitOverride[]): bigint {
  const all = overrides.filter((one) => one.type === type && one.paymentMethodId === undefined)
  const [chosen] = all.toSorted((a, b) => rank(a) - rank(b))
  return chosen !== undefined && 'usd' in chosen.minimum ? chosen.minimum.usd : defaultMinimumUsd[type]
}

function toMinor(usd: bigint, { minimumMinor, decimals }: LimitedMethod): bigint {
  return roundToDecimals(divide(usd * minimumMinor, methodMinimumUsd, 'up'), decimals, shownDecimalsMax, 'up')
}
