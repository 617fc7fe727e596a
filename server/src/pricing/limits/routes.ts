import type { Queryable } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { readLimits } from './read-limits.ts'
import { LimitsView, limitsView } from './view.ts'

export function limitRoutes({ db, methods }: { db: Queryable; methods: PaymentMethods }): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/limits',
      auth: 'bearer',
      summary: 'Get the minimum amounts that a merchant may collect and withdraw',
      replies: { 200: LimitsView },
      example: {
        reply: {
          minCollect: '1',
          minWithdraw: '1',
          currency: 'USD',
          methods: [{ paymentMethodID: 3, symbol: 'ETH', minCollect: '0.0004', minWithdraw: '0.0004' }],
        },
      },
      handle: async ({ merchant }) => ({
        status: 200,
        body: limitsView(await readLimits(db, methods, merchant.id)),
      }),
    }),
  ]
}
