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
  readonly methods: Pick<PaymentMethods, 'enabledById'>
  readonly feeDefaults: FeeDefaults
}

export interface FeeQuery {
  readonly merchantId: string
  readonly type: FeeType
  readonly paymentMethodId: number | undefined
}

/** What a merchant pays now. Amounts are in the asset's smallest unit, or in 10^-8 USD where no method was named. */
export interface FeeRate {
  readonly type: FeeType
  readonly terms: FeeTerms
  readonly unit: FeeUnit
}

/** In what a fee is told: the asset of a method, or USD. */
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
 * The fee of a type, of one method or of the structure that holds where none is named.
 * @throws Problem invalid-request for an unknown or disabled method; rate-unavailable where a flat fee in USD cannot
 * be told in the asset
 */
export async function quoteFee(parts: FeeQueryParts, query: FeeQuery): Promise<FeeRate> {
  const { type, merchantId, paymentMethodId } = query
  const method = paymentMethodId === undefined ? undefined : enabledMethod(parts.methods, paymentMethodId)
  const [found] = await findSchedules(parts.db, parts.feeDefaults, [{ merchantId, method, type }])
  const schedule = required(found, 'the schedule of a wish')
  return { type, terms: await settle(parts.db, schedule, method), unit: unitOf(method) }
}

/**
 * What an amount costs, exactly as a deposit of it is charged.
 * @throws Problem invalid-request for more places than the asset has
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

function enabledMethod(methods: Pick<PaymentMethods, 'enabledById'>, id: number): PaymentMethod {
  const method = methods.enabledById(id)
  if (method !== undefined) return method
  throw failField('query/paymentMethodID', `${id} is no enabled payment method; see GET /payment-methods`)
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
    const detail = `The flat fee is in USD, and there is no fresh price of ${method.symbol}. Try again shortly.`
    throw fail('rate-unavailable', detail, { retryAfterS: 10 })
  }
  return termsFor(schedule, { assetDecimals: method.decimals, priceUsd: rate?.priceUsd })
}
