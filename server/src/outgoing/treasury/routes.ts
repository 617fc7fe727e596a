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
import { orderTakeOut, type TakeOutParts } from './order-take-out.ts'
import { takeOutSources } from './own-money.ts'
import { readTreasury } from './read-treasury.ts'
import { listTakeOuts } from './take-out-store.ts'
import {
  AssetFiguresView,
  assetFiguresView,
  TakeOutView,
  takeOutView,
  UnattributedView,
  unattributedView,
} from './view.ts'

export interface TreasuryRouteParts extends AttributeParts, TakeOutParts {
  /** How people read an address of a network. */
  display(network: string, address: string): string
}

/** For operators: what is where, whose unattributed money is, what leaves as profit, and what merchants owe. */
export function treasuryRoutes(parts: TreasuryRouteParts): readonly Route[] {
  return [
    figuresRoute(parts),
    unattributedRoute(parts),
    attributeRoute(parts),
    takeOutRoute(parts),
    takeOutsRoute(parts),
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
    summary: 'Read what is held where and whose it is, per asset',
    description: 'The hot wallet is as it was when last looked at; all else is of this moment.',
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
    summary: 'List money that came in and belongs to nobody we know, the latest first',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(UnattributedView) },
    handle: async ({ query }) => {
      const { transactions, total } = await listUnattributed(db, query)
      const views = transactions.map((one) => unattributedView(methods, display, one))
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
    summary: 'Say whose unattributed money is: a merchant’s, who pays its usual fee, or the operator’s own',
    body: Type.Object({
      owner: oneOf(['merchant', 'capital'], { title: 'UnattributedOwner' }),
      merchantID: Type.Optional(uuid),
      reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          description: 'for the audit log; needed where the sender did not pass screening',
        }),
      ),
    }),
    example: { body: { owner: 'merchant', merchantID: '0197a1f1-1111-7111-8111-111111111111' } },
    replies: { 200: UnattributedView },
    errors: ['not-found', 'already-attributed'],
    handle: async ({ caller, params, body }) => {
      const merchantId = ownerOf(body)
      const { reason } = body
      const wish = { transactionId: params.transactionID.toLowerCase(), merchantId, reason }
      const transaction = await attributeMoney(parts, caller.accountId, wish)
      const view = unattributedView(parts.methods, parts.display, transaction)
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
    throw failField('/merchantID', 'capital is the operator’s own: send no merchant')
  }
  if (merchantID === undefined) throw failField('/merchantID', 'say to which merchant it goes')
  return merchantID.toLowerCase()
}

function takeOutRoute(parts: TreasuryRouteParts): Route {
  return route({
    method: 'POST',
    path: '/operator/take-outs',
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    operationId: 'orderTakeOut',
    summary: 'Order some of the operator’s own money to the cold address',
    body: Type.Object({
      paymentMethodID: paymentMethodId,
      source: oneOf(takeOutSources, { title: 'TakeOutSource' }),
      amount: assetAmount,
    }),
    example: { body: { paymentMethodID: 1, source: 'fees', amount: '250' } },
    replies: { 201: TakeOutView },
    errors: ['cold-address-missing', 'insufficient-balance'],
    handle: async ({ caller, body, newId: id }) => {
      const { paymentMethodID, source, amount } = body
      const wish = { id, paymentMethodId: paymentMethodID, source, amount }
      const takeOut = await orderTakeOut(parts, caller.accountId, wish)
      return { status: 201, body: takeOutView(parts.methods, takeOut) }
    },
  })
}

function takeOutsRoute({ db, methods }: TreasuryRouteParts): Route {
  return route({
    method: 'GET',
    path: '/operator/take-outs',
    auth: 'bearer',
    permit: permitOperator,
    operationId: 'listTakeOuts',
    summary: 'List what was ordered to the cold address, the latest first',
    query: Type.Object(pageQuery),
    replies: { 200: pageOf(TakeOutView) },
    handle: async ({ query }) => {
      const { takeOuts, total } = await listTakeOuts(db, query)
      const views = takeOuts.map((one) => takeOutView(methods, one))
      return { status: 200, body: page(views, total, query) }
    },
  })
}
