import { required } from '../../core/assert.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type FeeDefaults, type FeeTerms, termsFor } from '../../pricing/fees/fee.ts'
import { findSchedules } from '../../pricing/fees/find-schedules.ts'
import { readLimits } from '../../pricing/limits/read-limits.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/** What a merchant's withdrawals in one method are held to. */
export interface WithdrawalTerms {
  readonly fee: FeeTerms
  /** In the asset's smallest unit. */
  readonly minimumMinor: bigint
}

export interface WithdrawalTermsParts {
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
}

/** A flat fee in USD is not charged: withdrawals never need a rate. */
export async function readWithdrawalTerms(
  { methods, feeDefaults }: WithdrawalTermsParts,
  on: Queryable,
  merchantId: string,
  method: PaymentMethod,
): Promise<WithdrawalTerms> {
  const [schedule] = await findSchedules(on, feeDefaults, [{ merchantId, method, type: 'withdrawal' }])
  const limits = await readLimits(on, methods, merchantId)
  const own = limits.methods.find(({ method: { id } }) => id === method.id)
  return {
    fee: termsFor(required(schedule, 'a schedule'), { assetDecimals: method.decimals, priceUsd: undefined }),
    minimumMinor: required(own, `the limits of ${method.asset}`).minWithdrawMinor,
  }
}
