import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type PaymentMethods, riskHeightOf } from '../../pricing/payment-methods/payment-method.ts'
import { pendingWorthUsd, worthUsd } from './deposit.ts'
import { readUnfinal } from './store.ts'

/**
 * Returns, by merchant id, the total value in 10^-8 USD of deposits on a network that are not final. This
 * value decides how many confirmations each of these deposits needs. A merchant without such deposits has no
 * entry. The value is undefined if one of the deposits has no price.
 */
export async function readAtStake(
  methods: PaymentMethods,
  on: Queryable,
  network: string,
  merchantIds: readonly string[],
  tip: { readonly height: number; readonly finalHeight: number | undefined },
): Promise<ReadonlyMap<string | undefined, bigint | undefined>> {
  const unfinal = await readUnfinal(on, network, merchantIds, riskHeightOf(methods, network, tip))
  const decimalsOf = (methodId: number) =>
    required(methods.byId(methodId), `payment method ${methodId}`).decimals
  return new Map(
    [...groupBy(unfinal, ({ merchantId }) => merchantId)].map(([merchantId, own]) => [
      merchantId,
      pendingWorthUsd(own.map((one) => worthUsd(one, decimalsOf(one.paymentMethodId)))),
    ]),
  )
}
