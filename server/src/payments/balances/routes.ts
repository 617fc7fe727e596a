import { Type } from 'typebox'
import { balanceEntryView } from '../../merchants/view.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readFunds } from './read-funds.ts'

export function fundsRoutes({ db, methods }: { db: Queryable; methods: PaymentMethods }): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/funds',
      auth: 'any',
      summary: 'List the available balance of each payment method',
      replies: { 200: Type.Array(balanceEntryView) },
      handle: async ({ merchant }) => {
        const funds = await readFunds(db, methods, [merchant.id])
        return { status: 200, body: funds.get(merchant.id) ?? [] }
      },
    }),
  ]
}
