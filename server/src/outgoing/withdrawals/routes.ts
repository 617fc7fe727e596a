import { Type } from 'typebox'
import { fail } from '../../core/errors.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { decimalAmount, page, pageOf, pagingQuery, paymentMethodId } from '../../platform/http/wire.ts'
import { cancelWithdrawal } from './cancel-withdrawal.ts'
import { createWithdrawal, type WithdrawalParts } from './create-withdrawal.ts'
import { WithdrawalPreviewView, withdrawalPreviewView } from './preview-view.ts'
import { previewWithdrawal } from './preview-withdrawal.ts'
import { findWithdrawal, listWithdrawals, readPending } from './store.ts'
import { WithdrawalStateView, WithdrawalView, withdrawalView } from './view.ts'

export function withdrawalRoutes(parts: WithdrawalParts): readonly Route[] {
  return [
    createRoute(parts),
    previewRoute(parts),
    pendingRoute(parts),
    listRoute(parts),
    getRoute(parts),
    cancelRoute(parts),
  ]
}

const orderedFields = {
  address: Type.String({ minLength: 1, maxLength: 200 }),
  amount: decimalAmount,
  paymentMethodID: paymentMethodId,
}

function createRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/withdrawals',
    auth: 'any',
    idempotent: true,
    needsProof: true,
    summary: 'Withdraw balance to an external address',
    body: Type.Object({
      ...orderedFields,
      confirmLookalike: Type.Optional(
        Type.Boolean({
          description: 'true: the whole address was compared, although it resembles one that was paid before',
        }),
      ),
      confirmNetwork: Type.Optional(
        Type.Boolean({
          description:
            'true: the recipient controls the address on this network, although it is a contract on another network only',
        }),
      ),
    }),
    replies: { 201: WithdrawalView },
    errors: [
      'invalid-address',
      'below-minimum',
      'fee-exceeds-amount',
      'listed-address',
      'lookalike-address',
      'contract-elsewhere',
      'insufficient-balance',
      'payouts-frozen',
      'too-many-withdrawals',
    ],
    handle: async ({ caller, merchant, body, newId }) => {
      const { address, amount, paymentMethodID, confirmLookalike, confirmNetwork } = body
      const chosen = {
        address,
        amount,
        paymentMethodId: paymentMethodID,
        confirmsLookalike: confirmLookalike,
        confirmsNetwork: confirmNetwork,
      }
      const wanted = { id: newId, merchantId: merchant.id, ...chosen }
      return { status: 201, body: withdrawalView(parts, await createWithdrawal(parts, caller, wanted)) }
    },
  })
}

function previewRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'POST',
    path: '/merchants/:merchantID/withdrawals/preview',
    operationId: 'previewWithdrawal',
    auth: 'any',
    readOnly: true,
    summary: 'Preview a withdrawal: its fee, net amount and errors; nothing is ordered',
    // The schema accepts any text as amount. The amount is checked later with the other fields, so that a
    // user sees all errors at once.
    body: Type.Object({ ...orderedFields, amount: Type.String({ minLength: 1, maxLength: 200 }) }),
    replies: { 200: WithdrawalPreviewView },
    handle: async ({ merchant, body }) => {
      const { address, amount, paymentMethodID } = body
      const wanted = { merchantId: merchant.id, address, amount, paymentMethodId: paymentMethodID }
      return { status: 200, body: withdrawalPreviewView(await previewWithdrawal(parts, wanted)) }
    },
  })
}

function pendingRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/withdrawals/pending',
    auth: 'any',
    summary: 'List all pending withdrawals, newest first',
    replies: { 200: Type.Array(WithdrawalView) },
    handle: async ({ merchant }) => {
      const pending = await readPending(parts.db, merchant.id)
      return { status: 200, body: pending.map((withdrawal) => withdrawalView(parts, withdrawal)) }
    },
  })
}

function listRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/withdrawals',
    auth: 'any',
    summary: 'List withdrawals',
    query: Type.Object({
      ...pagingQuery(['createdAt', 'amount']),
      states: Type.Optional(Type.Array(WithdrawalStateView)),
    }),
    replies: { 200: pageOf(WithdrawalView) },
    handle: async ({ merchant, query }) => {
      const filter = { merchantId: merchant.id, states: query.states }
      const { withdrawals, total } = await listWithdrawals(parts.db, filter, query)
      const views = withdrawals.map((withdrawal) => withdrawalView(parts, withdrawal))
      return { status: 200, body: page(views, total, query) }
    },
  })
}

function getRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'GET',
    path: '/merchants/:merchantID/withdrawals/:withdrawalID',
    auth: 'any',
    summary: 'Get a withdrawal',
    replies: { 200: WithdrawalView },
    errors: ['not-found'],
    handle: async ({ merchant, params }) => {
      const withdrawal = await findWithdrawal(parts.db, merchant.id, params.withdrawalID)
      if (withdrawal === undefined) throw fail('not-found', 'No such withdrawal.')
      return { status: 200, body: withdrawalView(parts, withdrawal) }
    },
  })
}

function cancelRoute(parts: WithdrawalParts): Route {
  return route({
    method: 'DELETE',
    path: '/merchants/:merchantID/withdrawals/:withdrawalID',
    operationId: 'cancelWithdrawal',
    auth: 'any',
    idempotent: true,
    summary: 'Cancel a withdrawal that has no planned transaction; its amount becomes available again',
    replies: { 204: null },
    errors: ['not-found', 'withdrawal-under-way'],
    handle: async ({ caller, merchant, params }) => {
      await cancelWithdrawal(parts, caller, { merchantId: merchant.id, id: params.withdrawalID })
      return { status: 204 }
    },
  })
}
