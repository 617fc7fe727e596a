import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from '../deposit.ts'
import { isBookedUnattributed, mayBeCredited } from '../wrong-network.ts'
import { readAttributions } from './attribution-store.ts'

/** Returns the ids of the deposits on the wrong network that their merchant can credit now. */
export async function readCreditable(
  methods: PaymentMethods,
  on: Queryable,
  deposits: readonly Deposit[],
): Promise<ReadonlySet<string>> {
  const open = deposits.filter((deposit) => isBookedUnattributed(deposit) && mayBeCredited(methods, deposit))
  if (open.length === 0) return new Set()
  const ids = open.map(({ id }) => id)
  const attributed = new Set((await readAttributions(on, ids)).map(({ depositId }) => depositId))
  return new Set(ids.filter((id) => !attributed.has(id)))
}
