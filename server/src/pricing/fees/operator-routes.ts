import { Type } from 'typebox'
import { withMerchantName, withMerchantNames } from '../../merchants/merchant-names.ts'
import { permitOperator } from '../../platform/http/auth.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { assetAmount, page, pageOf, pageQuery, paymentMethodId, uuid } from '../../platform/http/wire.ts'
import type { FeeType } from './fee.ts'
import { type SetScheduleParts, setSchedule, unsetSchedule } from './set-schedule.ts'
import { listSchedules } from './store.ts'
import { FeeTypeView, StoredScheduleView, storedScheduleView } from './view.ts'

/** Returns the routes on which operators list, set and remove the schedules that override the defaults. */
export function operatorFeeRoutes(parts: SetScheduleParts): readonly Route[] {
  return [listRoute(parts), setRoute(parts), unsetRoute(parts)]
}

const path = '/operator/fees'

const target = {
  type: FeeTypeView,
  merchantID: Type.Optional(uuid),
  paymentMethodID: Type.Optional(paymentMethodId),
}

function toTarget(sent: {
  readonly type: FeeType
  readonly merchantID?: string
  readonly paymentMethodID?: number
}) {
  return {
    type: sent.type,
    merchantId: sent.merchantID?.toLowerCase(),
    paymentMethodId: sent.paymentMethodID,
  }
}

function listRoute({ db, methods }: SetScheduleParts): Route {
  return route({
    method: 'GET',
    path,
    auth: 'bearer',
    permit: permitOperator,
    summary: 'List the fees that were set for all merchants and for single ones',
    query: Type.Object({ merchantID: Type.Optional(uuid), ...pageQuery }),
    replies: { 200: pageOf(StoredScheduleView) },
    handle: async ({ query }) => {
      const { schedules, total } = await listSchedules(db, query.merchantID, query)
      const views = schedules.map((stored) => storedScheduleView(methods, stored))
      return { status: 200, body: page(await withMerchantNames(db, views), total, query) }
    },
  })
}

function setRoute(parts: SetScheduleParts): Route {
  return route({
    method: 'PUT',
    path,
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Set the fee of a transaction type, for all merchants or one and for all methods or one',
    body: Type.Object({
      ...target,
      percent: Type.String({ maxLength: 6, description: '"1.5" is 1.5 %', examples: ['1.5'] }),
      flat: Type.Optional(assetAmount),
      currency: Type.Optional(
        Type.String({
          maxLength: 20,
          description: 'the currency of `flat`: USD, or the symbol of the named method',
        }),
      ),
    }),
    example: { body: { type: 'onetime', percent: '1.5', flat: '0.50', currency: 'USD' } },
    replies: { 200: StoredScheduleView },
    handle: async ({ caller, body }) => {
      const { percent, flat = '0', currency } = body
      const input = { ...toTarget(body), percent, flat, currency }
      const stored = await setSchedule(parts, caller.accountId, input)
      return {
        status: 200,
        body: await withMerchantName(parts.db, storedScheduleView(parts.methods, stored)),
      }
    },
  })
}

function unsetRoute(parts: SetScheduleParts): Route {
  return route({
    method: 'DELETE',
    path,
    auth: 'bearer',
    permit: permitOperator,
    summary: 'Remove the fee that was set for exactly this target',
    query: Type.Object(target),
    replies: { 204: null },
    handle: async ({ caller, query }) => {
      await unsetSchedule(parts, caller.accountId, toTarget(query))
      return { status: 204 }
    },
  })
}
