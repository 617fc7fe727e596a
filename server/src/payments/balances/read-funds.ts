import { balancesOf } from '../../ledger/balance.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type BalanceEntry, balanceEntries } from './balance-entry.ts'

/** Returns the available balances of some merchants by merchant id. Every given merchant has an entry. */
export async function readFunds(
  on: Queryable,
  methods: PaymentMethods,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, BalanceEntry[]>> {
  const balances = await balancesOf(on, merchantIds, 'available')
  return new Map(merchantIds.map((id) => [id, balanceEntries(methods, balances.get(id) ?? new Map())]))
}
