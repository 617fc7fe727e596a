import { required } from '../../core/assert.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type FeeDefaults, type FeeTerms, termsFor } from '../../pricing/fees/fee.ts'
import { findSchedules } from '../../pricing/fees/find-schedules.ts'
import { readLimits } from '../../pricing/limits/read-limits.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/** The fee and the minimum that apply to a merchant's withdrawals in one payment method. */
export interface WithdrawalTerms {
  readonly fee: FeeTerms
  /** The smallest amount of a withdrawal, in the asset's smallest unit. */
  readonly minimumMinor: bigint
}

export interface WithdrawalTermsParts {
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
}

/** Returns the fee and the minimum of a merchant's withdrawals. Neither depends on an exchange rate. */
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
