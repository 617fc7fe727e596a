/**
 * The least that may be collected or withdrawn. Operators state figures in USD for all methods, or in an asset for one
 * method; what a withdrawal is held to is always an amount of its asset, so that it never needs a rate.
 */
import { decimal, divide, max, min, roundToPlaces, usdDecimals } from '../../core/money.ts'

export const limitTypes = ['collect', 'withdraw'] as const
export type LimitType = (typeof limitTypes)[number]

/** What a minimum applies to. Absent parts stand for all merchants, all methods. */
export interface LimitKey {
  readonly merchantId?: string | undefined
  readonly paymentMethodId?: number | undefined
  readonly type: LimitType
}

/** What an operator set: in 10^-8 USD for all methods, in the asset's smallest unit for one. */
export interface LimitOverride extends LimitKey {
  readonly minimum: { readonly usd: bigint } | { readonly minor: bigint }
}

/** What limits need to know of a payment method. */
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
  /** The same figures in 10^-8 USD, in which invoices are made. */
  readonly minCollectUsd: bigint
  readonly minWithdrawUsd: bigint
}

/** What holds for one merchant. USD figures are counts of 10^-8 USD. */
export interface Limits {
  /** The least of its methods: below it every collect invoice is refused. */
  readonly minCollectUsd: bigint
  /** The least of its methods: what is worth less is refused in every method. */
  readonly minWithdrawUsd: bigint
  /** Of each enabled method, by id. */
  readonly methods: readonly MethodLimits[]
}

/** Where no operator set anything. */
const defaultMinimumUsd: Readonly<Record<LimitType, bigint>> = {
  collect: decimal('1', usdDecimals),
  withdraw: decimal('1', usdDecimals),
}

/**
 * What each method's own minimum in the catalogue is worth by definition. It relates an asset to USD without a rate:
 * the same minimum today and tomorrow, in whole steps an operator chose.
 */
export const methodMinimumUsd = decimal('0.5', usdDecimals)

/** Places that balances are shown with, and so the finest amount a minimum in an asset may ask for. */
const shownDecimalsMax = 8

/** Settles the figures of a merchant from what operators set for it and for all. */
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

/** The least USD amount of a collect or withdraw invoice that offers these methods: enough for each of them. */
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

/** Of merchant and method, else of the merchant, else of the method, else of all: as fees are resolved. */
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

/** The figure stated for all methods, for an installation that has none enabled. */
function stated(type: LimitType, overrides: readonly LimitOverride[]): bigint {
  const all = overrides.filter((one) => one.type === type && one.paymentMethodId === undefined)
  const [chosen] = all.toSorted((a, b) => rank(a) - rank(b))
  return chosen !== undefined && 'usd' in chosen.minimum ? chosen.minimum.usd : defaultMinimumUsd[type]
}

function toMinor(usd: bigint, { minimumMinor, decimals }: LimitedMethod): bigint {
  return roundToPlaces(divide(usd * minimumMinor, methodMinimumUsd, 'up'), decimals, shownDecimalsMax, 'up')
}
