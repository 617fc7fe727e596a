import type { Queryable } from '../../platform/db/pool.ts'
import { defaultSchedule, type FeeAsset, type FeeDefaults, type FeeSchedule, type FeeType } from './fee.ts'
import { schedulesFor } from './store.ts'

export interface FeeWish {
  readonly merchantId: string
  /** Absent: the structure that holds where no method is named. */
  readonly method?: (FeeAsset & { readonly id: number }) | undefined
  readonly type: FeeType
}

/** The schedule that holds for each wish, in their order, in one query: what an operator stored, else the default. */
export async function findSchedules(
  on: Queryable,
  defaults: FeeDefaults,
  wishes: readonly FeeWish[],
): Promise<readonly FeeSchedule[]> {
  if (wishes.length === 0) return []
  const stored = await schedulesFor(
    on,
    wishes.map(({ merchantId, method, type }) => ({ merchantId, type, paymentMethodId: method?.id })),
  )
  return wishes.map(({ type, method }, place) => stored[place] ?? defaultSchedule(defaults, type, method))
}
