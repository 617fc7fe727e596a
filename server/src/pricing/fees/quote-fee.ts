import { required } from '../../core/assert.ts'
import { fail, failField } from '../../core/errors.ts'
import { parseDecimal, usdDecimals } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethod, PaymentMethods } from '../payment-methods/payment-method.ts'
import { freshRate } from '../rates/store.ts'
import {
  charge,
  type FeeDefaults,
  type FeeSchedule,
  type FeeTerms,
  type FeeType,
  needsPrice,
  termsFor,
} from './fee.ts'
import { findSchedules } from './find-schedules.ts'

export interface FeeQueryParts {
  readonly db: Queryable
  readonly methods: Pick<PaymentMethods, 'followedById'>
  readonly feeDefaults: FeeDefaults
}

export interface FeeQuery {
  readonly merchantId: string
  readonly type: FeeType
  readonly paymentMethodId: number | undefined
}

/**
 * The fee that a merchant currently pays. Amounts are in the asset's smallest unit, or in 10^-8 USD if no
 * payment method was named.
 */
export interface FeeRate {
  readonly type: FeeType
  readonly terms: FeeTerms
  readonly unit: FeeUnit
}

/** The unit in which a fee is shown: the asset of a payment method, or USD. */
export interface FeeUnit {
  readonly paymentMethodId: number | undefined
  readonly currency: string
  readonly decimals: number
}

export interface FeeAmount {
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  readonly netMinor: bigint
}

/**
 * Returns the current fee of a transaction type, for one payment method. If no method is named, returns the
 * fee that applies to all methods.
 * @throws Problem invalid-request if the payment method is unknown or disabled; rate-unavailable if a flat
 *   fee in USD has no fresh rate at which it can be converted
 */
export async function quoteFee(parts: FeeQueryParts, query: FeeQuery): Promise<FeeRate> {
  const { type, merchantId, paymentMethodId } = query
  const method = paymentMethodId === undefined ? undefined : followedMethod(parts.methods, paymentMethodId)
  const [found] = await findSchedules(parts.db, parts.feeDefaults, [{ merchantId, method, type }])
  const schedule = required(found, 'the fee schedule of a target')
  return { type, terms: await settle(parts.db, schedule, method), unit: unitOf(method) }
}

/**
 * Computes the fee of an amount exactly as the fee of a deposit of that amount is computed.
 * @throws Problem invalid-request if the amount has more decimal places than the asset
 */
export function feeOf({ terms, unit }: FeeRate, amount: string): FeeAmount {
  const amountMinor = parseDecimal(amount, unit.decimals)
  if (amountMinor === undefined) {
    throw failField('query/amount', `${unit.currency} has at most ${unit.decimals} decimal places`)
  }
  return { amountMinor, ...charge(amountMinor, terms, unit.decimals) }
}

export function unitOf(method: PaymentMethod | undefined): FeeUnit {
  if (method === undefined) return { paymentMethodId: undefined, currency: 'USD', decimals: usdDecimals }
  return { paymentMethodId: method.id, currency: method.symbol, decimals: method.decimals }
}

function followedMethod(methods: Pick<PaymentMethods, 'followedById'>, id: number): PaymentMethod {
  const method = methods.followedById(id)
  if (method !== undefined) return method
  throw failField(
    'query/paymentMethodID',
    `must be an enabled payment method, not ${id}; see GET /payment-methods`,
  )
}

async function settle(
  on: Queryable,
  schedule: FeeSchedule,
  method: PaymentMethod | undefined,
): Promise<FeeTerms> {
  if (method === undefined) {
    const { percentBasisPoints, flat } = schedule
    return { percentBasisPoints, flatMinor: 'usd' in flat ? flat.usd : flat.minor }
  }
  const rate = needsPrice(schedule) ? await freshRate(on, method.symbol) : undefined
  if (needsPrice(schedule) && rate === undefined) {
    const detail = `The flat fee is in USD, but there is no recent price of ${method.symbol}. Try again shortly.`
    throw fail('rate-unavailable', detail, { retryAfterS: 10 })
  }
  return termsFor(schedule, { assetDecimals: method.decimals, priceUsd: rate?.priceUsd })
}
