import { Type } from 'typebox'
import type { Queryable } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { page, pageOf, pagingQuery } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { listSweeps } from './merchant-sweep-store.ts'
import { MerchantSweepStateView, MerchantSweepView, merchantSweepView } from './view.ts'

export interface SweepRoutesParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

export function sweepRoutes({ db, methods }: SweepRoutesParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/sweeps',
      auth: 'any',
      summary: 'List the sweeps of payments to the hot wallet, by asset',
      query: Type.Object({
        ...pagingQuery(['createdAt', 'amount']),
        states: Type.Optional(Type.Array(MerchantSweepStateView)),
      }),
      replies: { 200: pageOf(MerchantSweepView) },
      handle: async ({ merchant, query }) => {
        const filter = { merchantId: merchant.id, states: query.states }
        const { merchantSweeps, total } = await listSweeps(db, filter, query)
        const views = merchantSweeps.map((merchantSweep) => merchantSweepView(methods, merchantSweep))
        return { status: 200, body: page(views, total, query) }
      },
    }),
  ]
}
