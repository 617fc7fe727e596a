import { required } from '../../core/assert.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Log } from '../../core/log.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { appendEvents } from '../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Intent, Payment } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { isAdopted, NotWantedError, type PayoutMove, TamperedError } from '../engine/purpose.ts'
import { settleWithdrawals } from './end-withdrawals.ts'
import { broadcastEvent } from './events.ts'
import { failureCharge } from './network-costs/failure-cost.ts'
import { costRateOf } from './network-costs/weigh-withdrawals.ts'
import { findPaymentFaults } from './orders/find-faults.ts'
import { findOwing, saveProgress } from './payout-store.ts'
import { restoreSigned } from './restore-signed.ts'
import { lockWithdrawals } from './store.ts'
import { reach, type Withdrawal, type WithdrawalStage } from './withdrawal.ts'

export interface FollowParts {
  readonly methods: PaymentMethods
  readonly log: Log
  /** Undefined where nothing is ever planned, as for an operator who gives a payout up. */
  readonly orders: OrderVerifier | undefined
}

/** What a move of a payout means for a withdrawal that it pays. */
interface Turn {
  readonly payment: Payment
  readonly move: PayoutMove
}

type End =
  | { readonly outcome: 'completed' }
  /** @property costMinor what failing on chain cost, in the network's coin */
  | { readonly outcome: 'failed'; readonly explanation: string; readonly costMinor?: bigint }

interface Followed {
  readonly withdrawal: Withdrawal
  readonly end: End | undefined
}

/**
 * Has withdrawals follow the payouts that pay them: how far they have come, under which transaction, and how they ended.
 * Those that have ended already stay as they are.
 * @throws NotWantedError when one was cancelled, or its merchant came to owe money, before it was planned
 * @throws TamperedError when one is not what was ordered, or was given back before
 */
export async function followPayouts(parts: FollowParts, tx: Tx, moves: readonly PayoutMove[]): Promise<void> {
  const turns = moves.flatMap((move) => paymentsOf(move).map((payment) => ({ payment, move })))
  const before = await lockPaid(parts, tx, turns, moves)
  const byId = groupBy(turns, ({ payment }) => payment.withdrawalId)
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
  await settle(parts.methods, tx, followed)
}

/**
 * The withdrawals that are paid, locked. What the signer has signed and the database forgot, or gave back meanwhile, is
 * made good first.
 */
async function lockPaid(
  parts: FollowParts,
  tx: Tx,
  turns: readonly Turn[],
  moves: readonly PayoutMove[],
): Promise<ReadonlyMap<string, Withdrawal>> {
  const ids = [...new Set(turns.map(({ payment }) => payment.withdrawalId))]
  const paid = new Map((await lockWithdrawals(tx, ids)).map((withdrawal) => [withdrawal.id, withdrawal]))
  const owing = await findOwing(tx, [...new Set(turns.flatMap(merchantToPlan))])
  for (const { payment, move } of turns) {
    const known = paid.get(payment.withdrawalId)
    if (move.to !== 'planned') continue
    const isWanted = known?.standing.stage === 'approved' && !owing.has(known.merchantId)
    if (!isWanted && !isAdopted(move, moves)) {
      throw new NotWantedError(`withdrawal ${payment.withdrawalId} is no longer to be paid`)
    }
    if (isWanted || known?.standing.state === 'pending') continue
    paid.set(payment.withdrawalId, await restoreSigned(parts, tx, payment, known))
  }
  await requireOrdered(parts, tx, moves)
  return paid
}

/** What is planned for the first time, in the transaction that plans it; its withdrawals are locked. */
async function requireOrdered({ orders }: FollowParts, tx: Tx, moves: readonly PayoutMove[]): Promise<void> {
  const planned = moves.flatMap((move) =>
    move.to === 'planned' && !isAdopted(move, moves) ? [{ network: move.payout.network, move }] : [],
  )
  for (const [network, own] of groupBy(planned, (one) => one.network)) {
    if (orders === undefined) throw new NotWantedError('nothing is planned without the public keys of orders')
    const payments = own.flatMap(({ move }) => paymentsOf(move))
    const [fault] = (await findPaymentFaults(orders, tx, network, payments)).values()
    if (fault !== undefined) throw new TamperedError(fault)
  }
}

function merchantToPlan({ payment, move }: Turn): readonly string[] {
  return move.to === 'planned' ? [payment.merchantId] : []
}

/** One withdrawal through the moves of its payout, in their order. */
function follow(before: Withdrawal, turns: readonly Turn[]): Followed {
  let withdrawal = before
  let end: End | undefined
  for (const { move } of turns) {
    const { stage, txHash } = reachedBy(move)
    if (withdrawal.standing.state !== 'pending') continue
    const standing = stage === undefined ? withdrawal.standing : reach(withdrawal.standing, stage)
    if (standing.stage !== withdrawal.standing.stage) withdrawal = { ...withdrawal, standing }
    if (txHash !== undefined && txHash !== withdrawal.txHash) withdrawal = { ...withdrawal, txHash }
    end = endBy(move) ?? end
  }
  return { withdrawal, end }
}

function reachedBy(move: PayoutMove): {
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
    case 'in_doubt':
      return { stage: move.to, txHash: undefined }
    case 'displaced':
    case 'refused':
      return { stage: undefined, txHash: undefined }
  }
}

/** How a withdrawal ends by a move: its money is gone only where the chain says so for good, and is returned only then. */
function endBy(move: PayoutMove): End | undefined {
  switch (move.to) {
    case 'final':
      return move.inclusion.isSuccess
        ? { outcome: 'completed' }
        : {
            outcome: 'failed',
            explanation: 'The chain carried the transaction out without success.',
            costMinor: move.inclusion.feeMinor,
          }
    case 'displaced':
      return { outcome: 'failed', explanation: 'Another transaction took the place of the payment.' }
    case 'refused':
      return {
        outcome: 'failed',
        explanation:
          move.isOwnRule === true ? move.reason : `The chain would refuse the payment: ${move.reason}`,
      }
    default:
      return undefined
  }
}

async function settle(methods: PaymentMethods, tx: Tx, followed: readonly Followed[]): Promise<void> {
  const completed = followed.filter(({ end }) => end?.outcome === 'completed')
  await settleWithdrawals(
    methods,
    tx,
    completed.map(({ withdrawal }) => withdrawal.id),
    'completed',
  )
  const failed = followed.flatMap(({ withdrawal, end }) =>
    end?.outcome === 'failed'
      ? [{ id: withdrawal.id, explanation: end.explanation, charged: chargeOf(methods, withdrawal, end) }]
      : [],
  )
  for (const [explanation, ended] of groupBy(failed, (one) => one.explanation)) {
    const ids = ended.map(({ id }) => id)
    const chargedMinor = new Map(ended.map(({ id, charged }) => [id, charged]))
    await settleWithdrawals(methods, tx, ids, 'failed', { explanation, chargedMinor })
  }
}

/** What a failure on chain takes from the hold; of a plain token's nothing: there no prices were kept. */
function chargeOf(
  methods: PaymentMethods,
  { amountMinor, paymentMethodId, failurePrices }: Withdrawal,
  { costMinor = 0n }: { readonly costMinor?: bigint },
): bigint {
  const method = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  const rate = costRateOf(method, failurePrices)
  if (rate === undefined) return 0n
  return failureCharge({ amountMinor, assetDecimals: method.decimals }, costMinor, rate)
}

function paymentsOf(move: PayoutMove): readonly Payment[] {
  const intent: Intent = move.to === 'refused' ? move.proposal.intent : move.payout.intent
  return intent.kind === 'withdrawal' ? intent.payments : []
}
