/** Updates withdrawals when the state of the outgoing transactions that pay them changes. */
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Log } from '../../core/log.ts'
import { noteTamperings, type Tampering } from '../../platform/audit/tampering-store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { appendEvents, withoutWritten } from '../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent, Payment } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { isAdopted, NotWantedError, type OutgoingMove, TamperedError } from '../engine/outgoing-source.ts'
import { applyEnding, endWithdrawals } from './end-withdrawals.ts'
import { broadcastEvent } from './events.ts'
import { failureCharge } from './network-costs/failure-cost.ts'
import { costRateOf } from './network-costs/weigh-withdrawals.ts'
import { type Ordered, type OrderedParts, readAsOrdered } from './orders/as-ordered.ts'
import { findPaymentErrors } from './orders/find-errors.ts'
import { remedy } from './orders/remedy.ts'
import { findOwing, findWithTransaction, saveProgress } from './outgoing-store.ts'
import { restoreDeleted, restoreSigned } from './restore-signed.ts'
import { lockWithdrawals } from './store.ts'
import { reach, type Withdrawal, type WithdrawalStage } from './withdrawal.ts'

export interface FollowParts extends OrderedParts {
  readonly log: Log
  /** Undefined if the caller plans no transaction, for example when an operator abandons one. */
  readonly orders: OrderVerifier | undefined
}

/** A change of an outgoing transaction's state, and one of the payments that the transaction makes. */
interface PaidMove {
  readonly payment: Payment
  readonly move: OutgoingMove
}

type End =
  | { readonly outcome: 'completed' }
  /** @property costMinor the cost of the failure on chain, in the network's coin */
  | { readonly outcome: 'failed'; readonly explanation: string; readonly costMinor?: bigint }

interface Followed extends Ordered {
  /** Whether the transaction reached a stage that is to be stored. */
  readonly isMoved: boolean
  /** Whether an attempt of the transaction was sent. */
  readonly isSent: boolean
  readonly end: End | undefined
}

/**
 * Updates the stage, the transaction hash and the outcome of withdrawals. Each of the `moves` is a change in
 * the state of an outgoing transaction that pays withdrawals. Withdrawals that have already ended stay
 * unchanged.
 * @throws NotWantedError if a withdrawal was cancelled, or its merchant's balance became negative, before the
 * withdrawal was planned
 * @throws TamperedError if a withdrawal is not what was ordered, or its hold was already released
 */
export async function followOutgoing(
  parts: FollowParts,
  tx: Tx,
  moves: readonly OutgoingMove[],
): Promise<void> {
  const stated = moves.flatMap((move) => paymentsOf(move).map((payment) => ({ payment, move })))
  const paidMoves = await withoutForgedRefusals(tx, stated)
  const before = await lockPaid(parts, tx, paidMoves, moves)
  const byId = groupBy(paidMoves, ({ payment }) => payment.withdrawalId)
  const movesOf = ({ withdrawal }: Ordered) => byId.get(withdrawal.id) ?? []
  await noteTamperings(
    tx,
    before.flatMap((ordered) => returnedTamperings(ordered, movesOf(ordered))),
  )
  const followed = before.map((ordered) => follow(ordered, movesOf(ordered)))
  const moved = followed.filter(({ isMoved }) => isMoved)
  if (moved.length > 0) {
    const now = await saveProgress(
      tx,
      moved.map(({ withdrawal }) => withdrawal),
    )
    const sent = moved.filter(({ isSent }) => isSent)
    await appendEvents(
      tx,
      // The row of a withdrawal may have been changed or restored, so it does not show what was reported.
      await withoutWritten(
        tx,
        sent.map(({ withdrawal }) => broadcastEvent(parts.methods, withdrawal, now)),
      ),
    )
  }
  await settle(parts.methods, tx, followed)
}

/**
 * Removes the refusals of withdrawals that a stored transaction already pays, and records them as tampering.
 * Payouts refuse only proposals, so somebody changed the database to have such a withdrawal proposed again. If
 * the refusal ended the withdrawal, its money would be returned although it may still be paid.
 */
async function withoutForgedRefusals(tx: Tx, paidMoves: readonly PaidMove[]): Promise<readonly PaidMove[]> {
  const refused = paidMoves.filter(({ move }) => move.to === 'refused')
  const paid = await findWithTransaction(
    tx,
    refused.map(({ payment }) => payment.withdrawalId),
  )
  const isForged = ({ payment, move }: PaidMove) => move.to === 'refused' && paid.has(payment.withdrawalId)
  await noteTamperings(
    tx,
    paidMoves.filter(isForged).map(({ payment: { withdrawalId } }) => ({
      subject: `refusal of withdrawal ${withdrawalId}`,
      detail: `withdrawal ${withdrawalId} was proposed again, although a stored transaction pays it. ${remedy}`,
    })),
  )
  return paidMoves.filter((one) => !isForged(one))
}

/** Describes a withdrawal whose transaction is on its way although its money was returned to the merchant. */
function returnedTamperings(
  { withdrawal: { id, status }, money }: Ordered,
  moves: readonly PaidMove[],
): readonly Tampering[] {
  const isOnItsWay = moves.some(({ move }) => move.to === 'signed' || reachedBy(move).txHash !== undefined)
  if (money !== 'ended' || status.state === 'completed' || !isOnItsWay) return []
  const detail = `a transaction that pays withdrawal ${id} is on its way, but the books show that the withdrawal is ${status.state} and its money returned. ${remedy}`
  return [{ subject: `returned withdrawal ${id}`, detail }]
}

/**
 * Locks the withdrawals that the outgoing transactions pay, and returns them as they were ordered. If a
 * transaction is signed, but the database has lost its withdrawal or shows the withdrawal as ended, the
 * withdrawal is restored first. A withdrawal whose row was deleted is restored if the books hold its money.
 */
async function lockPaid(
  parts: FollowParts,
  tx: Tx,
  paidMoves: readonly PaidMove[],
  moves: readonly OutgoingMove[],
): Promise<readonly Ordered[]> {
  const ids = [...new Set(paidMoves.map(({ payment }) => payment.withdrawalId))]
  const paid = new Map((await lockWithdrawals(tx, ids)).map((withdrawal) => [withdrawal.id, withdrawal]))
  await requireWanted(
    tx,
    paid,
    paidMoves.filter(({ move }) => move.to === 'planned' && !isAdopted(move, moves)),
  )
  for (const { payment, move } of paidMoves) {
    if (move.to !== 'planned' || !isAdopted(move, moves)) continue
    const restored = await restoreSigned(parts, tx, payment, paid.get(payment.withdrawalId))
    if (restored !== undefined) paid.set(restored.id, restored)
  }
  await requireOrdered(parts, tx, moves)
  const payments = new Map(paidMoves.map(({ payment }) => [payment.withdrawalId, payment]))
  const deleted = [...payments.values()].filter(({ withdrawalId }) => !paid.has(withdrawalId))
  for (const restored of await restoreDeleted(parts, tx, deleted)) paid.set(restored.id, restored)
  return readAsOrdered(parts, tx, [...paid.values()], payments)
}

/**
 * Checks that orders are still to be paid which are planned for the first time.
 * @throws NotWantedError if an order is no longer approved, or its merchant has a negative balance
 */
async function requireWanted(
  tx: Tx,
  paid: ReadonlyMap<string, Withdrawal>,
  planned: readonly PaidMove[],
): Promise<void> {
  if (planned.length === 0) return
  const owing = await findOwing(tx, [...new Set(planned.map(({ payment }) => payment.merchantId))])
  for (const { payment } of planned) {
    const known = paid.get(payment.withdrawalId)
    if (known?.status.stage !== 'approved' || owing.has(known.merchantId)) {
      throw new NotWantedError(`withdrawal ${payment.withdrawalId} is no longer to be paid`)
    }
  }
}

/**
 * Checks the orders that are planned for the first time, in the transaction that plans them. Their
 * withdrawals must be locked.
 * @throws NotWantedError if the public keys of orders are missing
 * @throws TamperedError if an order is not what was signed, or has no valid hold
 */
async function requireOrdered(
  { orders }: FollowParts,
  tx: Tx,
  moves: readonly OutgoingMove[],
): Promise<void> {
  const planned = moves.flatMap((move) =>
    move.to === 'planned' && !isAdopted(move, moves)
      ? [{ network: move.outgoingTransaction.network, move }]
      : [],
  )
  for (const [network, own] of groupBy(planned, (one) => one.network)) {
    if (orders === undefined) throw new NotWantedError('nothing is planned without the public keys of orders')
    const payments = own.flatMap(({ move }) => paymentsOf(move))
    const [error] = (await findPaymentErrors(orders, tx, network, payments)).values()
    if (error !== undefined) throw new TamperedError(error)
  }
}

/** Applies to one withdrawal the changes of its outgoing transaction, in their order. */
function follow({ withdrawal: before, money }: Ordered, paidMoves: readonly PaidMove[]): Followed {
  let withdrawal = before
  let isMoved = false
  let isSent = false
  let end: End | undefined
  // No change is applied to a withdrawal that has ended.
  for (const { move } of before.status.state === 'pending' ? paidMoves : []) {
    const { stage, txHash } = reachedBy(move)
    const status = stage === undefined ? withdrawal.status : reach(withdrawal.status, stage)
    withdrawal = { ...withdrawal, status, txHash: txHash ?? withdrawal.txHash }
    isMoved ||= stage !== undefined
    isSent ||= txHash !== undefined
    end = endBy(move) ?? end
  }
  return { withdrawal, money, isMoved, isSent, end }
}

function reachedBy(move: OutgoingMove): {
  readonly stage: WithdrawalStage | undefined
  readonly txHash: string | undefined
} {
  switch (move.to) {
    case 'broadcast':
      return { stage: 'broadcast', txHash: move.txHash }
    case 'included':
    case 'final':
      return { stage: 'broadcast', txHash: move.inclusion.txHash }
    case 'planned':
    case 'signed':
    case 'needs_recheck':
      return { stage: move.to, txHash: undefined }
    case 'conflicted':
    case 'refused':
      return { stage: undefined, txHash: undefined }
  }
}

/**
 * Returns how a withdrawal ends after a change of its outgoing transaction; undefined if it has not ended. A
 * withdrawal counts as paid only when a successful transaction is final. The money is returned only when it
 * is certain that no transaction can pay the withdrawal.
 */
function endBy(move: OutgoingMove): End | undefined {
  switch (move.to) {
    case 'final':
      return move.inclusion.isSuccess
        ? { outcome: 'completed' }
        : {
            outcome: 'failed',
            explanation: 'The transaction failed on the chain.',
            costMinor: move.inclusion.feeMinor,
          }
    case 'conflicted':
      return { outcome: 'failed', explanation: 'Another transaction replaced the payment.' }
    case 'refused':
      return {
        outcome: 'failed',
        explanation:
          move.isOwnRule === true ? move.reason : `The chain would reject the payment: ${move.reason}`,
      }
    default:
      return undefined
  }
}

/** Ends the withdrawals whose outgoing transactions have ended. */
async function settle(methods: PaymentMethods, tx: Tx, followed: readonly Followed[]): Promise<void> {
  const completed = followed.filter(({ end }) => end?.outcome === 'completed')
  const reason = 'transaction'
  await applyEnding(tx, await endWithdrawals(methods, tx, completed, { outcome: 'completed', reason }))
  const failed = followed.flatMap((one) => (one.end?.outcome === 'failed' ? [{ ...one, end: one.end }] : []))
  for (const [explanation, ended] of groupBy(failed, ({ end }) => end.explanation)) {
    const costMinor = new Map(ended.map(({ withdrawal, end }) => [withdrawal.id, end.costMinor ?? 0n]))
    const chargeOf = (one: Withdrawal) => chargeFor(methods, one, costMinor.get(one.id) ?? 0n)
    const cause = { outcome: 'failed', reason, explanation, chargeOf } as const
    await applyEnding(tx, await endWithdrawals(methods, tx, ended, cause))
  }
}

/**
 * Returns the amount that a failure on chain takes from the hold. For some tokens, failures are not charged.
 * No prices are stored for a withdrawal of such a token, and the amount is 0.
 */
function chargeFor(
  methods: PaymentMethods,
  { amountMinor, paymentMethodId, failurePrices }: Withdrawal,
  costMinor: bigint,
): bigint {
  const method = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  const rate = costRateOf(method, failurePrices)
  if (rate === undefined) return 0n
  return failureCharge({ amountMinor, assetDecimals: method.decimals }, costMinor, rate)
}

function paymentsOf(move: OutgoingMove): readonly Payment[] {
  const intent: Intent = move.to === 'refused' ? move.proposal.intent : move.outgoingTransaction.intent
  return intent.kind === 'withdrawal' ? intent.payments : []
}
