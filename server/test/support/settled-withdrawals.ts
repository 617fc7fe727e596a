import { applyEnding, endWithdrawals } from '../../src/outgoing/withdrawals/end-withdrawals.ts'
import { readAsOrdered } from '../../src/outgoing/withdrawals/orders/as-ordered.ts'
import { lockWithdrawals } from '../../src/outgoing/withdrawals/store.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import type { PaymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'

/**
 * Ends withdrawals as if their outgoing transactions had ended. Withdrawals that already have this outcome are
 * skipped.
 */
export async function settleWithdrawals(
  methods: PaymentMethods,
  tx: Tx,
  ids: readonly string[],
  outcome: 'completed' | 'failed',
): Promise<void> {
  const locked = await lockWithdrawals(tx, ids)
  const open = locked.filter(({ status }) => status.state !== outcome)
  const ordered = await readAsOrdered({ methods }, tx, open)
  await applyEnding(tx, await endWithdrawals(methods, tx, ordered, { outcome, reason: 'transaction' }))
}
