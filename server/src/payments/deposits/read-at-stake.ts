import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { finalHeightOf, type PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { pendingWorthUsd, worthUsd } from './deposit.ts'
import { readUnfinal } from './store.ts'

/**
 * What merchants have on a network in deposits that are not final, in 10^-8 USD: it decides how many blocks each of them
 * waits for. A merchant with none is missing; undefined is the worth of what has no price.
 */
export async function readAtStake(
  methods: PaymentMethods,
  on: Queryable,
  network: string,
  merchantIds: readonly string[],
  tip: { readonly height: number; readonly finalHeight: number | undefined },
): Promise<ReadonlyMap<string | undefined, bigint | undefined>> {
  const unfinal = await readUnfinal(on, network, merchantIds, finalHeightOf(methods, network, tip))
  const decimalsOf = (methodId: number) =>
    required(methods.byId(methodId), `payment method ${methodId}`).decimals
  return new Map(
    [...groupBy(unfinal, ({ merchantId }) => merchantId)].map(([merchantId, own]) => [
      merchantId,
      pendingWorthUsd(own.map((one) => worthUsd(one, decimalsOf(one.paymentMethodId)))),
    ]),
  )
}
