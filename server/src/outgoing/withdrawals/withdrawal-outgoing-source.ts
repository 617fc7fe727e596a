import { networkOf } from '../../chains/networks.ts'
import { noteTamperings } from '../../platform/audit/tampering-store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../signing/intent.ts'
import type {
  IntendedOutgoingTransaction,
  OutgoingListener,
  OutgoingSource,
  Proposal,
} from '../engine/outgoing-source.ts'
import type { OpenOrder } from '../engine/recovery/match-orders.ts'
import type { SeenPayment, SeenPayments } from '../engine/recovery/seen-payment.ts'
import { type ApprovalParts, approveWithdrawals } from './approvals/approve-withdrawals.ts'
import { type FollowParts, followOutgoing } from './follow-outgoing.ts'
import { findOverBudget } from './network-costs/store.ts'
import { type CostParts, letGoWithinBudgets, weighWithdrawals } from './network-costs/weigh-withdrawals.ts'
import { stageTampering } from './orders/endable.ts'
import { findPaymentErrors } from './orders/find-errors.ts'
import { paymentOf } from './orders/order-of.ts'
import {
  findOwing,
  findUnsigned,
  findUnsignedTo,
  readApproved,
  type UnsignedOrder,
} from './outgoing-store.ts'

/**
 * Connects merchants' withdrawals to the engine of outgoing transactions: approves and proposes withdrawals,
 * and follows them until they have ended.
 */
export function withdrawalOutgoingSource(parts: ApprovalParts & CostParts): OutgoingSource {
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
    findTampered: (on, network, outgoingTransactions) =>
      findTampered(parts, on, network, outgoingTransactions),
  }
}

/** Updates withdrawals as their outgoing transactions progress. */
export function withdrawalFollower(parts: FollowParts): OutgoingListener {
  return {
    kinds: ['withdrawal'],
    moved: (tx, moves) => followOutgoing(parts, tx, moves),
  }
}

/**
 * Proposes approved orders. An order that a stored transaction already pays is not proposed again, and is
 * recorded as tampering. Each asset gets an equal share of `max`, so that an asset that the hot wallets
 * lack does not delay the other assets.
 */
async function propose(
  methods: PaymentMethods,
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly Proposal[]> {
  const assets = methods.all.filter((method) => method.network === network).map(({ asset }) => asset)
  const maxEach = Math.max(1, Math.floor(max / Math.max(1, assets.length)))
  const isSwept = networkOf(network)?.family !== 'utxo'
  const approved = await readApproved(on, { network, assets, maxEach, isSwept })
  const paid = approved.filter((one) => one.hasTransaction)
  await noteTamperings(
    on,
    paid.map(({ withdrawal }) => stageTampering(withdrawal)),
  )
  const unpaid = approved.filter((one) => !one.hasTransaction)
  return unpaid.map(({ withdrawal, mac }) => {
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

/**
 * Returns the order that a payment on chain paid; undefined if there is none. The engine calls this function
 * if the database has lost the record that the payment was signed.
 */
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

/**
 * Returns the orders that a transaction on chain may have paid. Each of them pays one of the transaction's
 * recipients, and nothing was signed for it. Only orders of the network's coin are read, because a UTXO chain
 * has no other asset.
 */
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

/**
 * Returns the payment of an order. An order that is not approved has no MAC, so nothing can be signed for it.
 */
function unsignedPayment(methods: PaymentMethods, { withdrawal, mac }: UnsignedOrder): Payment {
  return { ...paymentOf(methods, withdrawal), mac: mac ?? '' }
}

/**
 * Returns the ids of the proposals that must not be planned again yet. Their merchant has a negative balance,
 * or they wait for the merchant's gas budget.
 */
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

/**
 * Returns the errors of outgoing transactions that were never signed, by id. Either Coffer did not write the
 * row of the transaction, or the transaction pays an order whose money was returned since.
 */
async function findTampered(
  { orders }: ApprovalParts,
  on: Queryable,
  network: string,
  outgoingTransactions: readonly IntendedOutgoingTransaction[],
): Promise<ReadonlyMap<string, string>> {
  const paid = outgoingTransactions.map(({ id, intent }) => ({
    id,
    payments: intent.kind === 'withdrawal' ? intent.payments : [],
  }))
  const errors = await findPaymentErrors(
    orders,
    on,
    network,
    paid.flatMap(({ payments }) => payments),
  )
  const found = paid.map(({ id, payments }): [string, string | undefined] => [
    id,
    payments.map(({ withdrawalId }) => errors.get(withdrawalId)).find((error) => error !== undefined),
  ])
  return new Map(found.filter((one): one is [string, string] => one[1] !== undefined))
}
