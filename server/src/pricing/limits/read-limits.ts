import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { type Limits, limitsFrom } from './limit.ts'
import { readOverrides } from './store.ts'

/** Returns the minimums for a merchant to collect and to withdraw, in each enabled method. */
export async function readLimits(
  on: Queryable,
  methods: Pick<PaymentMethods, 'followed'>,
  merchantId: string,
): Promise<Limits> {
  return limitsFrom(methods.followed, await readOverrides(on, merchantId))
}
