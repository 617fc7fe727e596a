import { isNetworkName, networks } from '../chains/networks.ts'
import { required } from '../core/assert.ts'
import type { Queryable } from '../db/pool.ts'
import type { Payment } from '../intents/intent.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { PayoutFollower, PayoutPurpose, Proposal } from '../payouts/purpose.ts'
import { type ApprovalParts, approveWithdrawals } from './approvals/approve-withdrawals.ts'
import { followPayouts } from './follow-payouts.ts'
import type { SeenPayment } from '../payouts/recovery/recovery.ts'
import { type CostParts, letGoWithinBudgets, weighWithdrawals } from './network-costs/weigh-withdrawals.ts'
import { type Approved, findOwing, findUnsigned, readApproved } from './payout-store.ts'
import { netMinor } from './withdrawal.ts'

/** Money that merchants ordered out, as payouts carry it: approved, proposed, and told of until it has ended. */
export function withdrawalPurpose(parts: ApprovalParts & CostParts): PayoutPurpose {
  const { methods } = parts
  return {
    ...withdrawalFollower(parts),
    prepare: async (lease, network, signal, chain) => {
      await approveWithdrawals(parts, lease, network, signal, chain)
      await letGoWithinBudgets(parts, lease, network)
    },
    weighCosts: (lease, network, costed) => weighWithdrawals(parts, lease, network, costed),
    propose: (on, network, max) => propose(methods, on, network, max),
    heldBack: (on, refused) => heldBack(on, refused),
    recognize: (on, seen) => recognize(methods, on, seen),
  }
}

/** Keeps withdrawals as far as their payouts have come. */
export function withdrawalFollower({ methods, log }: Pick<ApprovalParts, 'methods' | 'log'>): PayoutFollower {
  return {
    kinds: ['withdrawal'],
    moved: (tx, moves) => followPayouts({ methods, log }, tx, moves),
  }
}

/** Approved orders of each asset in their turn: one asset that the wallets lack does not keep the others waiting. */
async function propose(
  methods: PaymentMethods,
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly Proposal[]> {
  const assets = methods.all.filter((method) => method.network === network).map(({ asset }) => asset)
  const maxEach = Math.max(1, Math.floor(max / Math.max(1, assets.length)))
  const isSwept = !isNetworkName(network) || networks[network].family !== 'utxo'
  const approved = await readApproved(on, { network, assets, maxEach, isSwept })
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

/** A payment that an order asks for and that is on the chain already, signed in a past that is forgotten here. */
async function recognize(
  methods: PaymentMethods,
  on: Queryable,
  { network, contract, recipient: address, amountMinor, since }: SeenPayment,
): Promise<Proposal | undefined> {
  const method = methods.all.find((one) => one.network === network && (one.contract ?? null) === contract)
  if (method === undefined) return undefined
  const { asset } = method
  const found = await findUnsigned(on, { asset, address, netMinor: amountMinor, since })
  if (found === undefined) return undefined
  // One that nobody approved here has no MAC: nothing can be signed by it.
  const payment = paymentOf(methods, { withdrawal: found.withdrawal, mac: found.mac ?? '' })
  const spends = { asset, contract, amountMinor }
  return { id: payment.withdrawalId, network, intent: { kind: 'withdrawal', payments: [payment] }, spends }
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
