import { required } from '../core/assert.ts'
import type { Queryable } from '../db/pool.ts'
import type { Payment } from '../intents/intent.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { PayoutFollower, PayoutPurpose, Proposal } from '../payouts/purpose.ts'
import { type ApprovalParts, approveWithdrawals } from './approvals/approve-withdrawals.ts'
import { followPayouts } from './follow-payouts.ts'
import { type Approved, findOwing, readApproved } from './payout-store.ts'
import { netMinor } from './withdrawal.ts'

/** Money that merchants ordered out, as payouts carry it: approved, proposed, and told of until it has ended. */
export function withdrawalPurpose(parts: ApprovalParts): PayoutPurpose {
  const { methods } = parts
  return {
    ...withdrawalFollower(parts),
    prepare: (lease, network, signal, chain) => approveWithdrawals(parts, lease, network, signal, chain),
    propose: (on, network, max) => propose(methods, on, network, max),
    heldBack: (on, refused) => heldBack(on, refused),
  }
}

/** Keeps withdrawals as far as their payouts have come. */
export function withdrawalFollower({ methods, log }: Pick<ApprovalParts, 'methods' | 'log'>): PayoutFollower {
  return {
    kinds: ['withdrawal'],
    moved: (tx, moves) => followPayouts({ methods, log }, tx, moves),
  }
}

/** The oldest approved orders of each asset: one asset that the wallets lack does not keep the others waiting. */
async function propose(
  methods: PaymentMethods,
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly Proposal[]> {
  const assets = methods.all.filter((method) => method.network === network).map(({ asset }) => asset)
  const approved = await readApproved(on, assets, Math.max(1, Math.floor(max / Math.max(1, assets.length))))
  return approved.map((one) => {
    const payment = paymentOf(methods, one)
    const { asset, contract, netMinor: amountMinor } = payment
    return {
      id: payment.withdrawalId,
      network,
      intent: { kind: 'withdrawal', payments: [payment] },
      spends: { asset, contract, amountMinor },
    }
  })
}

/** While a merchant owes anything, nothing of its own is planned anew. */
async function heldBack(on: Queryable, refused: readonly Proposal[]): Promise<ReadonlySet<string>> {
  const paid = refused.flatMap(({ id, intent }) =>
    intent.kind === 'withdrawal' ? intent.payments.map(({ merchantId }) => ({ id, merchantId })) : [],
  )
  const owing = await findOwing(
    on,
    paid.map(({ merchantId }) => merchantId),
  )
  return new Set(paid.filter(({ merchantId }) => owing.has(merchantId)).map(({ id }) => id))
}

function paymentOf(methods: PaymentMethods, { withdrawal, mac }: Approved): Payment {
  const { id, merchantId, asset, address, feeMinor, paymentMethodId } = withdrawal
  const { contract = null } = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  return {
    ...{ withdrawalId: id, merchantId, asset, contract, address, feeMinor, mac },
    netMinor: netMinor(withdrawal),
  }
}
