import { Type } from 'typebox'
import { withMerchantName, withMerchantNames } from '../../../merchants/merchant-names.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { permitOperator } from '../../../platform/http/auth.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { page, pageOf, pageQuery } from '../../../platform/http/wire.ts'
import { freshRate } from '../../../pricing/rates/store.ts'
import type { WithdrawalParts } from '../create-withdrawal.ts'
import { OperatorWithdrawalView, operatorWithdrawalView } from '../view.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { rejectWithdrawal, releaseWithdrawal } from './decide-withdrawal.ts'
import { listForOperator } from './store.ts'

export type ApprovalRoutesParts = Pick<WithdrawalParts, 'db' | 'methods' | 'codecOf' | 'orders'>

/** Routes for operators: withdrawals that wait until an operator agrees. */
export function approvalRoutes(parts: ApprovalRoutesParts): readonly Route[] {
  return [listRoute(parts), approveRoute(parts), rejectRoute(parts)]
}

const path = '/operator/approvals'

function listRoute(parts: ApprovalRoutesParts): Route {
  return route({
    method: 'GET',
    path,
    operationId: 'listApprovals',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'List withdrawals that wait for an approval, oldest first',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(OperatorWithdrawalView) },
    handle: async ({ query }) => {
      const { withdrawals, total } = await listForOperator(parts.db, query)
      return { status: 200, body: page(await viewsOf(parts, withdrawals), total, query) }
    },
  })
}

function approveRoute(parts: ApprovalRoutesParts): Route {
  return route({
    method: 'POST',
    path: `${path}/:withdrawalID/approve`,
    operationId: 'approveWithdrawal',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    needsProof: true,
    summary: 'Approve a withdrawal, whatever its value',
    body: Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) }),
    replies: { 200: OperatorWithdrawalView },
    errors: ['not-found', 'withdrawal-ended'],
    handle: async ({ caller, params, body }) => {
      const by = { accountId: caller.accountId, reason: body.reason }
      const released = await releaseWithdrawal(parts, by, params.withdrawalID)
      return { status: 200, body: await viewOf(parts, released) }
    },
  })
}

function rejectRoute(parts: ApprovalRoutesParts): Route {
  return route({
    method: 'POST',
    path: `${path}/:withdrawalID/reject`,
    operationId: 'rejectWithdrawal',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    summary: 'Reject a withdrawal that has no planned transaction; its amount becomes available again',
    body: Type.Object({
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'the reason, which the merchant sees',
      }),
    }),
    replies: { 200: OperatorWithdrawalView },
    errors: ['not-found', 'withdrawal-ended', 'withdrawal-under-way'],
    handle: async ({ caller, params, body }) => {
      const by = { accountId: caller.accountId, reason: body.reason }
      const rejected = await rejectWithdrawal(parts, by, params.withdrawalID)
      return { status: 200, body: await viewOf(parts, rejected) }
    },
  })
}

async function viewOf(parts: ApprovalRoutesParts, withdrawal: Withdrawal) {
  const price = await priceOf(parts, parts.db, withdrawal)
  return withMerchantName(parts.db, operatorWithdrawalView(parts, withdrawal, price))
}

async function viewsOf(parts: ApprovalRoutesParts, withdrawals: readonly Withdrawal[]) {
  const prices = new Map<number, bigint | undefined>()
  for (const withdrawal of withdrawals) {
    if (prices.has(withdrawal.paymentMethodId)) continue
    prices.set(withdrawal.paymentMethodId, await priceOf(parts, parts.db, withdrawal))
  }
  const views = withdrawals.map((withdrawal) =>
    operatorWithdrawalView(parts, withdrawal, prices.get(withdrawal.paymentMethodId)),
  )
  return withMerchantNames(parts.db, views)
}

async function priceOf(
  { methods }: Pick<ApprovalRoutesParts, 'methods'>,
  on: Queryable,
  { paymentMethodId }: Withdrawal,
): Promise<bigint | undefined> {
  const symbol = methods.byId(paymentMethodId)?.symbol
  return symbol === undefined ? undefined : (await freshRate(on, symbol))?.priceUsd
}
