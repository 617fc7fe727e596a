import { balancesOf } from '../../ledger/balance.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type BalanceEntry, balanceEntries } from './balance-entry.ts'

/** What some merchants have available; every one asked for is in the answer. */
export async function readFunds(
  on: Queryable,
  methods: PaymentMethods,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, BalanceEntry[]>> {
  const balances = await balancesOf(on, merchantIds, 'available')
  return new Map(merchantIds.map((id) => [id, balanceEntries(methods, balances.get(id) ?? new Map())]))
}
