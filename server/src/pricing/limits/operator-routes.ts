import { Type } from 'typebox'
import { withMerchantNames } from '../../merchants/merchant-names.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { assetAmount, page, pageOf, pageQuery, paymentMethodId, uuid } from '../../platform/http/wire.ts'
import { type SetLimitsParts, setLimits, unsetLimits } from './set-limits.ts'
import { listOverrides } from './store.ts'
import { OverrideView, overrideView } from './view.ts'

/** Returns the routes on which operators list, set and remove the limits that override the defaults. */
export function operatorLimitRoutes(parts: SetLimitsParts): readonly Route[] {
  return [listRoute(parts), setRoute(parts), unsetRoute(parts)]
}

const path = '/operator/limits'

const target = { merchantID: Type.Optional(uuid), paymentMethodID: Type.Optional(paymentMethodId) }

function toTarget(sent: { readonly merchantID?: string; readonly paymentMethodID?: number }) {
  return { merchantId: sent.merchantID?.toLowerCase(), paymentMethodId: sent.paymentMethodID }
}

function listRoute({ db, methods }: SetLimitsParts): Route {
  return route({
    method: 'GET',
    path,
    auth: 'bearer',
    permit: permitOperator,
    summary: 'List the limits that were set for all merchants and for single ones',
    query: Type.Object({ merchantID: Type.Optional(uuid), ...pageQuery }),
    replies: { 200: pageOf(OverrideView) },
    handle: async ({ query }) => {
      const { pairs, total } = await listOverrides(db, query.merchantID, query)
      const views = pairs.map((pair) => overrideView(methods, pair))
      return { status: 200, body: page(await withMerchantNames(db, views), total, query) }
    },
  })
}

function setRoute(parts: SetLimitsParts): Route {
  return route({
    method: 'PUT',
    path,
    auth: 'bearer',
    permit: permitOperator,
    summary:
      'Set the minimums of collections and withdrawals: in USD for all methods, in the asset for one method',
    body: Type.Object({
      ...target,
      minCollect: Type.Optional(assetAmount),
      minWithdraw: Type.Optional(assetAmount),
    }),
    example: { body: { minCollect: '5', minWithdraw: '10' } },
    replies: { 204: null },
    handle: async ({ caller, body }) => {
      const { minCollect, minWithdraw } = body
      await setLimits(parts, caller.accountId, { ...toTarget(body), minCollect, minWithdraw })
      return { status: 204 }
    },
  })
}

function unsetRoute(parts: SetLimitsParts): Route {
  return route({
    method: 'DELETE',
    path,
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Remove the limits that were set for exactly this target',
    query: Type.Object(target),
    replies: { 204: null },
    handle: async ({ caller, query }) => {
      await unsetLimits(parts, caller.accountId, toTarget(query))
      return { status: 204 }
    },
  })
}
