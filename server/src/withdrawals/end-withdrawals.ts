import { assert } from '../core/assert.ts'
import type { Tx } from '../db/transaction.ts'
import type { Journal } from '../ledger/journal.ts'
import { post } from '../ledger/post.ts'
import { repaySuspense } from '../ledger/suspense.ts'
import { appendEvents } from '../outbox/append.ts'
import type { NewEvent } from '../outbox/event.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { type EndReason, endedEvent } from './events.ts'
import { releaseJournal } from './journals.ts'
import { lockWithdrawals, saveOutcome } from './store.ts'
import { after, type Outcome, type Withdrawal } from './withdrawal.ts'

/** What is to be posted and told, in the transaction that ended the withdrawals. */
export interface Ending {
  readonly journals: readonly Journal[]
  readonly events: readonly NewEvent[]
}

/**
 * Ends withdrawals by what became of their payouts: their money leaves, or returns. Those that ended so before are
 * passed over.
 * @throws InvariantError for one that cannot end so: what was never sent is not completed.
 */
export async function settleWithdrawals(
  methods: PaymentMethods,
  tx: Tx,
  ids: readonly string[],
  outcome: 'completed' | 'failed',
): Promise<void> {
  const locked = await lockWithdrawals(tx, ids)
  const open = locked.filter(({ standing }) => standing.state !== outcome)
  await applyEnding(tx, await endWithdrawals(methods, tx, open, { outcome, reason: 'payout' }))
}

/** Stores the outcome of locked withdrawals. */
export async function endWithdrawals(
  methods: PaymentMethods,
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  { outcome, reason }: { outcome: Outcome; reason: EndReason },
): Promise<Ending> {
  if (withdrawals.length === 0) return { journals: [], events: [] }
  for (const { id, standing } of withdrawals) {
    const { state, stage = '' } = standing
    assert(after(standing, outcome) !== undefined, `withdrawal ${id}, ${state} ${stage}, is not ${outcome}`)
  }
  const ids = withdrawals.map(({ id }) => id)
  const endedAt = await saveOutcome(tx, ids, outcome)
  return {
    journals: withdrawals.map((withdrawal) => releaseJournal(withdrawal, outcome)),
    events: withdrawals.map((withdrawal) => endedEvent(methods, withdrawal, { outcome, reason, endedAt })),
  }
}

/** What comes back to a merchant in debt goes to the debt first. */
export async function applyEnding(tx: Tx, { journals, events }: Ending): Promise<void> {
  await post(tx, journals)
  await repaySuspense(tx, journals)
  await appendEvents(tx, events)
}
