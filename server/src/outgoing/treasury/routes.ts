import { Type } from 'typebox'
import { failField } from '../../core/errors.ts'
import { withMerchantName, withMerchantNames } from '../../merchants/merchant-names.ts'
import { listUnattributed } from '../../payments/deposits/unattributed/list-store.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import {
  assetAmount,
  oneOf,
  page,
  pageOf,
  pageQuery,
  paymentMethodId,
  uuid,
} from '../../platform/http/wire.ts'
import { type AttributeParts, attributeMoney } from './attribute-money.ts'
import { debtRoutes } from './debt-routes.ts'
import { orderTreasuryWithdrawal, type TreasuryWithdrawalParts } from './order-treasury-withdrawal.ts'
import { treasuryWithdrawalSources } from './own-money.ts'
import { readTreasury } from './read-treasury.ts'
import { listTreasuryWithdrawals } from './treasury-withdrawal-store.ts'
import {
  AssetFiguresView,
  assetFiguresView,
  TreasuryWithdrawalView,
  treasuryWithdrawalView,
  UnattributedView,
  unattributedView,
} from './view.ts'

export interface TreasuryRouteParts extends AttributeParts, TreasuryWithdrawalParts {
  /** Returns the display form of an address. */
  display(network: string, address: string): string
}

/**
 * Routes for operators: the treasury figures, unattributed money, treasury withdrawals, and the debts of
 * merchants.
 */
export function treasuryRoutes(parts: TreasuryRouteParts): readonly Route[] {
  return [
    figuresRoute(parts),
    unattributedRoute(parts),
    attributeRoute(parts),
    orderTreasuryWithdrawalRoute(parts),
    listTreasuryWithdrawalsRoute(parts),
    ...debtRoutes(parts),
  ]
}

function figuresRoute({ db, methods, coldAddresses }: TreasuryRouteParts): Route {
  return route({
    method: 'GET',
    path: '/operator/treasury',
    auth: 'bearer',
    permit: permitOperator,
    operationId: 'getTreasury',
    summary: 'Get custody and liabilities per asset',
    description:
      'The balances of the hot wallets are from their last measurement; all other figures are current.',
    replies: { 200: Type.Object({ assets: Type.Array(AssetFiguresView) }) },
    handle: async () => {
      const figures = await readTreasury(db, methods)
      const assets = figures.map((one) => ({
        ...assetFiguresView(one),
        coldAddress: coldAddresses.get(one.method.network) ?? null,
      }))
      return { status: 200, body: { assets } }
    },
  })
}

function unattributedRoute({ db, methods, display }: TreasuryRouteParts): Route {
  return route({
    method: 'GET',
    path: '/operator/unattributed',
    auth: 'bearer',
    permit: permitOperator,
    operationId: 'listUnattributed',
    summary: 'List received money that is not attributed to anyone, latest first',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(UnattributedView) },
    handle: async ({ query }) => {
      const { deposits, total } = await listUnattributed(db, query)
      const views = deposits.map((one) => unattributedView(methods, display, one))
      return { status: 200, body: page(await withMerchantNames(db, views), total, query) }
    },
  })
}

function attributeRoute(parts: TreasuryRouteParts): Route {
  return route({
    method: 'POST',
    path: '/operator/unattributed/:transactionID/assign',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    needsProof: true,
    operationId: 'assignUnattributed',
    summary: 'Attribute received money to a merchant, who pays its usual fee, or to the operator’s capital',
    body: Type.Object({
      owner: oneOf(['merchant', 'capital'], { title: 'UnattributedOwner' }),
      merchantID: Type.Optional(uuid),
      reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          description: 'for the audit log; required if the sender did not pass screening',
        }),
      ),
    }),
    example: { body: { owner: 'merchant', merchantID: '0197a1f1-1111-7111-8111-111111111111' } },
    replies: { 200: UnattributedView },
    errors: ['not-found', 'already-attributed'],
    handle: async ({ caller, params, body }) => {
      const merchantId = ownerOf(body)
      const { reason } = body
      const input = { depositId: params.transactionID.toLowerCase(), merchantId, reason }
      const deposit = await attributeMoney(parts, caller.accountId, input)
      const view = unattributedView(parts.methods, parts.display, deposit)
      return { status: 200, body: await withMerchantName(parts.db, view) }
    },
  })
}

function ownerOf({
  owner,
  merchantID,
}: {
  readonly owner: 'merchant' | 'capital'
  readonly merchantID?: string
}): string | undefined {
  if (owner === 'capital') {
    if (merchantID === undefined) return undefined
    throw failField('/merchantID', 'must be absent for capital, which belongs to the operator')
  }
  if (merchantID === undefined)
    throw failField('/merchantID', 'is required: the merchant that receives the money')
  return merchantID.toLowerCase()
}

function orderTreasuryWithdrawalRoute(parts: TreasuryRouteParts): Route {
  return route({
    method: 'POST',
    path: '/operator/treasury-withdrawals',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    operationId: 'orderTreasuryWithdrawal',
    summary: 'Order a treasury withdrawal of the operator’s own money to the cold address',
    body: Type.Object({
      paymentMethodID: paymentMethodId,
      source: oneOf(treasuryWithdrawalSources, { title: 'TreasuryWithdrawalSource' }),
      amount: assetAmount,
    }),
    example: { body: { paymentMethodID: 1, source: 'fees', amount: '250' } },
    replies: { 201: TreasuryWithdrawalView },
    errors: ['cold-address-missing', 'insufficient-balance'],
    handle: async ({ caller, body, newId: id }) => {
      const { paymentMethodID, source, amount } = body
      const input = { id, paymentMethodId: paymentMethodID, source, amount }
      const treasuryWithdrawal = await orderTreasuryWithdrawal(parts, caller.accountId, input)
      return { status: 201, body: treasuryWithdrawalView(parts.methods, treasuryWithdrawal) }
    },
  })
}

function listTreasuryWithdrawalsRoute({ db, methods }: TreasuryRouteParts): Route {
  return route({
    method: 'GET',
    path: '/operator/treasury-withdrawals',
    auth: 'bearer',
    permit: permitOperator,
    operationId: 'listTreasuryWithdrawals',
    summary: 'List treasury withdrawals, latest first',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(TreasuryWithdrawalView) },
    handle: async ({ query }) => {
      const { treasuryWithdrawals, total } = await listTreasuryWithdrawals(db, query)
      const views = treasuryWithdrawals.map((one) => treasuryWithdrawalView(methods, one))
      return { status: 200, body: page(views, total, query) }
    },
  })
}
