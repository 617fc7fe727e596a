import { assert, required } from '../../core/assert.ts'
import { forfeit } from '../../ledger/forfeit.ts'
import type { Journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import { repaySuspense } from '../../ledger/suspense.ts'
import { lockDeleted } from '../../merchants/store.ts'
import { completeClaim, reopenClaim } from '../../payments/invoices/claims/settle-claim.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { endedEvent } from './events.ts'
import { endJournals } from './journals.ts'
import { saveNetworkCosts } from './network-costs/store.ts'
import { type EndCause, lockWithdrawals, saveOutcome } from './store.ts'
import { after, netMinor, type Outcome, type Withdrawal } from './withdrawal.ts'

/** What is to be posted and told, in the transaction that ended the withdrawals. */
export interface Ending {
  readonly journals: readonly Journal[]
  readonly events: readonly NewEvent[]
}

/**
 * Ends withdrawals by what became of their payouts: their money leaves, or returns. Those that ended so before are
 * passed over.
 * @param failure why it failed, in words for the merchant, and what failing on chain takes of each hold
 * @throws InvariantError for one that cannot end so: what was never sent is not completed.
 */
export async function settleWithdrawals(
  methods: PaymentMethods,
  tx: Tx,
  ids: readonly string[],
  outcome: 'completed' | 'failed',
  failure: Pick<EndCause, 'explanation' | 'chargedMinor'> = {},
): Promise<void> {
  const locked = await lockWithdrawals(tx, ids)
  const open = locked.filter(({ standing }) => standing.state !== outcome)
  await applyEnding(tx, await endWithdrawals(methods, tx, open, { outcome, reason: 'payout', ...failure }))
}

/** Stores the outcome of locked withdrawals, and what it means for the claims they pay. */
export async function endWithdrawals(
  methods: PaymentMethods,
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  cause: EndCause,
): Promise<Ending> {
  if (withdrawals.length === 0) return { journals: [], events: [] }
  const { outcome } = cause
  for (const { id, standing } of withdrawals) {
    const { state, stage = '' } = standing
    assert(after(standing, outcome) !== undefined, `withdrawal ${id}, ${state} ${stage}, is not ${outcome}`)
  }
  const ids = withdrawals.map(({ id }) => id)
  const endedAt = await saveOutcome(tx, ids, cause)
  const chargedOf = ({ id }: Withdrawal) => cause.chargedMinor?.get(id) ?? 0n
  await saveNetworkCosts(
    tx,
    new Map(withdrawals.map((one) => [one.id, chargedOf(one)] as const).filter(isCharged)),
  )
  const claimEvents = await settleClaims(methods, tx, withdrawals, outcome)
  return {
    journals: withdrawals.flatMap((one) => endJournals(one, outcome, chargedOf(one))),
    events: [
      ...withdrawals.map((one) =>
        endedEvent(methods, one, { ...cause, endedAt, networkCostMinor: chargedOf(one) }),
      ),
      ...claimEvents,
    ],
  }
}

function isCharged([, chargedMinor]: readonly [string, bigint]): boolean {
  return chargedMinor > 0n
}

export async function applyEnding(tx: Tx, { journals, events }: Ending): Promise<void> {
  // Before any account is locked, as whoever deletes or restores a merchant does.
  await lockDeleted(tx, [...returnsOf(journals).keys()])
  await post(tx, journals)
  await settleReturned(tx, journals)
  await appendEvents(tx, events)
}

/** What journals just returned to a merchant repays its debt first, and to a deleted one it is kept with all it left. */
export async function settleReturned(tx: Tx, posted: readonly Journal[]): Promise<void> {
  await repaySuspense(tx, posted)
  const returns = returnsOf(posted)
  for (const ownerId of await lockDeleted(tx, [...returns.keys()])) {
    await forfeit(tx, { ownerId, subject: `returned:${returns.get(ownerId)}` })
  }
}

/** The merchants to whom journals return something, each with the subject of one that does. */
function returnsOf(journals: readonly Journal[]): ReadonlyMap<string, string> {
  const returns = new Map<string, string>()
  for (const { subject, lines } of journals) {
    for (const { account } of lines) {
      if (account.name === 'available' && account.ownerId !== undefined) returns.set(account.ownerId, subject)
    }
  }
  return returns
}

/** A claim whose payout did not come about is open again; one that was paid pays its invoice. */
async function settleClaims(
  methods: PaymentMethods,
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  outcome: Outcome,
): Promise<readonly NewEvent[]> {
  const events: NewEvent[] = []
  for (const withdrawal of withdrawals) {
    const { invoiceId, paymentMethodId, txHash } = withdrawal
    if (invoiceId === undefined) continue
    if (outcome === 'completed') {
      const payout = {
        method: required(methods.byId(paymentMethodId), 'the method of a withdrawal'),
        amountMinor: netMinor(withdrawal),
        txHash: required(txHash, 'the transaction of a completed withdrawal'),
      }
      events.push(...(await completeClaim(tx, invoiceId, payout)))
    } else {
      await reopenClaim(tx, invoiceId)
    }
  }
  return events
}
