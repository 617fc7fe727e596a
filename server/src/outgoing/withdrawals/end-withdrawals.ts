/**
 * Ends withdrawals: stores the outcome, releases the hold, updates the `withdraw` invoice that the withdrawal
 * pays, and appends the events.
 */
import { assert, required } from '../../core/assert.ts'
import { forfeit } from '../../ledger/forfeit.ts'
import type { Journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import { repayReceivable } from '../../ledger/receivable.ts'
import { lockDeleted } from '../../merchants/store.ts'
import { completeClaim, reopenClaim } from '../../payments/invoices/claims/settle-claim.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { endedEvent } from './events.ts'
import { endJournals } from './journals.ts'
import { saveNetworkCosts } from './network-costs/store.ts'
import type { Ordered } from './orders/as-ordered.ts'
import { type EndCause, saveOutcome } from './store.ts'
import { after, netMinor, type Outcome, type Withdrawal } from './withdrawal.ts'

/** The journals to post and the events to append, in the same transaction that ended the withdrawals. */
export interface Ending {
  readonly journals: readonly Journal[]
  readonly events: readonly NewEvent[]
}

/**
 * Stores the outcome of locked withdrawals, and updates the `withdraw` invoices that they pay. Posts no
 * journals and appends no events.
 * @throws InvariantError for a withdrawal that cannot have this outcome, such as a withdrawal that would
 * complete although it was never sent
 */
export async function endWithdrawals(
  methods: PaymentMethods,
  tx: Tx,
  ordered: readonly Ordered[],
  cause: EndCause,
): Promise<Ending> {
  if (ordered.length === 0) return { journals: [], events: [] }
  const withdrawals = ordered.map(({ withdrawal }) => withdrawal)
  const held = new Set(ordered.flatMap(({ withdrawal, money }) => (money === 'open' ? [withdrawal.id] : [])))
  const { outcome } = cause
  for (const { id, status } of withdrawals) {
    const { state, stage = '' } = status
    assert(
      after(status, outcome) !== undefined,
      `withdrawal ${id}, ${stage === '' ? state : `${state} and ${stage}`}, cannot become ${outcome}`,
    )
  }
  const ids = withdrawals.map(({ id }) => id)
  const endedAt = await saveOutcome(tx, ids, cause)
  const charged = new Map(
    withdrawals.map((one) => [one.id, held.has(one.id) ? (cause.chargeOf?.(one) ?? 0n) : 0n]),
  )
  const chargedOf = ({ id }: Withdrawal) => charged.get(id) ?? 0n
  await saveNetworkCosts(tx, new Map([...charged].filter(isCharged)))
  const claimEvents = await settleClaims(methods, tx, withdrawals, outcome)
  return {
    journals: withdrawals.flatMap((one) =>
      held.has(one.id) ? endJournals(one, outcome, chargedOf(one)) : [],
    ),
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
  // The merchants are locked before any account, because deleting or restoring a merchant locks in the same
  // order.
  await lockDeleted(tx, [...returnsOf(journals).keys()])
  await post(tx, journals)
  await settleReturned(tx, journals)
  await appendEvents(tx, events)
}

/**
 * Settles money that journals have just returned to merchants. The money first repays a merchant's negative
 * balance. Money that returns to a deleted merchant is forfeited.
 */
export async function settleReturned(tx: Tx, posted: readonly Journal[]): Promise<void> {
  await repayReceivable(tx, posted)
  const returns = returnsOf(posted)
  for (const ownerId of await lockDeleted(tx, [...returns.keys()])) {
    await forfeit(tx, { ownerId, subject: `returned:${returns.get(ownerId)}` })
  }
}

/**
 * Returns the merchants to whom the journals return money. The value for each merchant is the subject of one
 * of these journals.
 */
function returnsOf(journals: readonly Journal[]): ReadonlyMap<string, string> {
  const returns = new Map<string, string>()
  for (const { subject, lines } of journals) {
    for (const { account } of lines) {
      if (account.name === 'available' && account.ownerId !== undefined) returns.set(account.ownerId, subject)
    }
  }
  return returns
}

/**
 * Updates the `withdraw` invoices that withdrawals pay. If a withdrawal was paid, its invoice is settled. If
 * not, its invoice can be claimed again.
 */
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
