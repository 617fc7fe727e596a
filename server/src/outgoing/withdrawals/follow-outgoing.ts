/** Updates withdrawals when the state of the outgoing transactions that pay them changes. */
import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Log } from '../../core/log.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent, Payment } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { isAdopted, NotWantedError, type OutgoingMove, TamperedError } from '../engine/outgoing-source.ts'
import { settleWithdrawals } from './end-withdrawals.ts'
import { broadcastEvent } from './events.ts'
import { failureCharge } from './network-costs/failure-cost.ts'
import { costRateOf } from './network-costs/weigh-withdrawals.ts'
import { findPaymentErrors } from './orders/find-errors.ts'
import { findOwing, saveProgress } from './outgoing-store.ts'
import { restoreDeleted, restoreSigned } from './restore-signed.ts'
import { lockWithdrawals } from './store.ts'
import { reach, type Withdrawal, type WithdrawalStage } from './withdrawal.ts'

export interface FollowParts {
  readonly methods: PaymentMethods
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

interface Followed {
  readonly withdrawal: Withdrawal
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
  const paidMoves = moves.flatMap((move) => paymentsOf(move).map((payment) => ({ payment, move })))
  const before = await lockPaid(parts, tx, paidMoves, moves)
  const byId = groupBy(paidMoves, ({ payment }) => payment.withdrawalId)
  const followed = [...byId].map(([id, own]) => follow(required(before.get(id), 'a paid withdrawal'), own))
  const changed = followed.filter(({ withdrawal }) => withdrawal !== before.get(withdrawal.id))
  if (changed.length > 0) {
    const now = await saveProgress(
      tx,
      changed.map(({ withdrawal }) => withdrawal),
    )
    const sent = changed.filter(
      ({ withdrawal: { id, txHash } }) => before.get(id)?.txHash === undefined && txHash !== undefined,
    )
    await appendEvents(
      tx,
      sent.map(({ withdrawal }) => broadcastEvent(parts.methods, withdrawal, now)),
    )
  }
  const payments = new Map(paidMoves.map(({ payment }) => [payment.withdrawalId, payment]))
  await settle(parts.methods, tx, followed, payments)
}

/**
 * Locks and returns the withdrawals that the outgoing transactions pay. If a transaction is signed, but the
 * database has lost its withdrawal or shows the withdrawal as ended, the withdrawal is restored first. A
 * withdrawal whose row was deleted is restored too.
 */
async function lockPaid(
  parts: FollowParts,
  tx: Tx,
  paidMoves: readonly PaidMove[],
  moves: readonly OutgoingMove[],
): Promise<ReadonlyMap<string, Withdrawal>> {
  const ids = [...new Set(paidMoves.map(({ payment }) => payment.withdrawalId))]
  const paid = new Map((await lockWithdrawals(tx, ids)).map((withdrawal) => [withdrawal.id, withdrawal]))
  const owing = await findOwing(tx, [...new Set(paidMoves.flatMap(merchantToPlan))])
  for (const { payment, move } of paidMoves) {
    const known = paid.get(payment.withdrawalId)
    if (move.to !== 'planned') continue
    const isWanted = known?.status.stage === 'approved' && !owing.has(known.merchantId)
    if (!isWanted && !isAdopted(move, moves)) {
      throw new NotWantedError(`withdrawal ${payment.withdrawalId} is no longer to be paid`)
    }
    if (isWanted || known?.status.state === 'pending') continue
    paid.set(payment.withdrawalId, await restoreSigned(parts, tx, payment, known))
  }
  await requireOrdered(parts, tx, moves)
  for (const { payment, move } of paidMoves) {
    if (paid.has(payment.withdrawalId)) continue
    const restored = await restoreDeleted(parts, tx, payment)
    // The event of the broadcast was sent before the row was deleted, and is not sent again.
    paid.set(payment.withdrawalId, { ...restored, txHash: reachedBy(move).txHash })
  }
  return paid
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

function merchantToPlan({ payment, move }: PaidMove): readonly string[] {
  return move.to === 'planned' ? [payment.merchantId] : []
}

/** Applies to one withdrawal the changes of its outgoing transaction, in their order. */
function follow(before: Withdrawal, paidMoves: readonly PaidMove[]): Followed {
  let withdrawal = before
  let end: End | undefined
  for (const { move } of paidMoves) {
    const { stage, txHash } = reachedBy(move)
    if (withdrawal.status.state !== 'pending') continue
    const status = stage === undefined ? withdrawal.status : reach(withdrawal.status, stage)
    if (status.stage !== withdrawal.status.stage) withdrawal = { ...withdrawal, status }
    if (txHash !== undefined && txHash !== withdrawal.txHash) withdrawal = { ...withdrawal, txHash }
    end = endBy(move) ?? end
  }
  return { withdrawal, end }
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

async function settle(
  methods: PaymentMethods,
  tx: Tx,
  followed: readonly Followed[],
  payments: ReadonlyMap<string, Payment>,
): Promise<void> {
  const completed = followed.filter(({ end }) => end?.outcome === 'completed')
  const completedIds = completed.map(({ withdrawal }) => withdrawal.id)
  await settleWithdrawals(methods, tx, completedIds, 'completed', { payments })
  const failed = followed.flatMap(({ withdrawal: { id }, end }) =>
    end?.outcome === 'failed' ? [{ id, ...end }] : [],
  )
  for (const [explanation, ended] of groupBy(failed, (one) => one.explanation)) {
    const ids = ended.map(({ id }) => id)
    const costMinor = new Map(ended.map((one) => [one.id, one.costMinor ?? 0n]))
    const charge = (one: Withdrawal) => chargeOf(methods, one, costMinor.get(one.id) ?? 0n)
    await settleWithdrawals(methods, tx, ids, 'failed', { explanation, chargeOf: charge, payments })
  }
}

/**
 * Returns the amount that a failure on chain takes from the hold. For some tokens, failures are not charged.
 * No prices are stored for a withdrawal of such a token, and the amount is 0.
 */
function chargeOf(
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
