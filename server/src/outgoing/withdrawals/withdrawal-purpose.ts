import { isNetworkName, networks } from '../../chains/networks.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../signing/intent.ts'
import type { IntendedPayout, PayoutFollower, PayoutPurpose, Proposal } from '../engine/purpose.ts'
import type { OpenOrder } from '../engine/recovery/match-orders.ts'
import type { SeenPayment, SeenPayments } from '../engine/recovery/seen-payment.ts'
import { type ApprovalParts, approveWithdrawals } from './approvals/approve-withdrawals.ts'
import { type FollowParts, followPayouts } from './follow-payouts.ts'
import { findOverBudget } from './network-costs/store.ts'
import { type CostParts, letGoWithinBudgets, weighWithdrawals } from './network-costs/weigh-withdrawals.ts'
import { findPaymentFaults } from './orders/find-faults.ts'
import { paymentOf } from './orders/order-of.ts'
import { findOwing, findUnsigned, findUnsignedTo, readApproved, type UnsignedOrder } from './payout-store.ts'

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
    findOpenOrders: (on, seen) => findOpenOrders(methods, on, seen),
    findTampered: (on, network, payouts) => findTampered(parts, on, network, payouts),
  }
}

/** Keeps withdrawals as far as their payouts have come. */
export function withdrawalFollower(parts: FollowParts): PayoutFollower {
  return {
    kinds: ['withdrawal'],
    moved: (tx, moves) => followPayouts(parts, tx, moves),
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
  return approved.map(({ withdrawal, mac }) => {
    const payment = { ...paymentOf(methods, withdrawal), mac }
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
  const payment = unsignedPayment(methods, found)
  const spends = { asset, contract, amountMinor }
  return { id: payment.withdrawalId, network, intent: { kind: 'withdrawal', payments: [payment] }, spends }
}

/** The coin alone: where money lies in coins there is nothing else. */
async function findOpenOrders(
  methods: PaymentMethods,
  on: Queryable,
  { network, recipients, since }: SeenPayments,
): Promise<readonly OpenOrder[]> {
  const method = methods.all.find((one) => one.network === network && one.contract === undefined)
  if (method === undefined) return []
  const found = await findUnsignedTo(on, { asset: method.asset, addresses: recipients, since })
  return found.map((one) => unsignedPayment(methods, one))
}

/** One that nobody approved here has no MAC: nothing can be signed by it. */
function unsignedPayment(methods: PaymentMethods, { withdrawal, mac }: UnsignedOrder): Payment {
  return { ...paymentOf(methods, withdrawal), mac: mac ?? '' }
}

/** While a merchant owes anything, or an order waits for its merchant's budget, nothing of it is planned anew. */
async function heldBack(on: Queryable, refused: readonly Proposal[]): Promise<ReadonlySet<string>> {
  const paid = refused.flatMap(({ id, intent }) =>
    intent.kind === 'withdrawal' ? intent.payments.map((payment) => ({ id, ...payment })) : [],
  )
  const owing = await findOwing(
    on,
    paid.map(({ merchantId }) => merchantId),
  )
  const overBudget = await findOverBudget(
    on,
    paid.map(({ withdrawalId }) => withdrawalId),
  )
  const held = paid.filter(
    ({ merchantId, withdrawalId }) => owing.has(merchantId) || overBudget.has(withdrawalId),
  )
  return new Set(held.map(({ id }) => id))
}

/** Of payouts that were never signed: a row that somebody wrote, or kept from an order that was given back since. */
async function findTampered(
  { orders }: ApprovalParts,
  on: Queryable,
  network: string,
  payouts: readonly IntendedPayout[],
): Promise<ReadonlyMap<string, string>> {
  const paid = payouts.map(({ id, intent }) => ({
    id,
    payments: intent.kind === 'withdrawal' ? intent.payments : [],
  }))
  const faults = await findPaymentFaults(
    orders,
    on,
    network,
    paid.flatMap(({ payments }) => payments),
  )
  const found = paid.map(({ id, payments }): [string, string | undefined] => [
    id,
    payments.map(({ withdrawalId }) => faults.get(withdrawalId)).find((fault) => fault !== undefined),
  ])
  return new Map(found.filter((one): one is [string, string] => one[1] !== undefined))
}
