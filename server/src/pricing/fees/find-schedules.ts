import type { Queryable } from '../../platform/db/pool.ts'
import { defaultSchedule, type FeeAsset, type FeeDefaults, type FeeSchedule, type FeeType } from './fee.ts'
import { schedulesFor } from './store.ts'

export interface FeeParams {
  readonly merchantId: string
  /** The payment method. If undefined, only schedules that apply to all payment methods match. */
  readonly method?: (FeeAsset & { readonly id: number }) | undefined
  readonly type: FeeType
}

/**
 * Returns the schedule that applies to each of `params`, in the order of `params`, with one query. If no
 * schedule that an operator stored matches, the default schedule applies.
 */
export async function findSchedules(
  on: Queryable,
  defaults: FeeDefaults,
  params: readonly FeeParams[],
): Promise<readonly FeeSchedule[]> {
  if (params.length === 0) return []
  const stored = await schedulesFor(
    on,
    params.map(({ merchantId, method, type }) => ({ merchantId, type, paymentMethodId: method?.id })),
  )
  return params.map(({ type, method }, index) => stored[index] ?? defaultSchedule(defaults, type, method))
}
