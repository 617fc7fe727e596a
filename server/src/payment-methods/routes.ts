import { Type } from 'typebox'
import type { AddressCodec } from '../chains/port.ts'
import { type Route, route } from '../http/route.ts'
import type { PaymentMethods } from './payment-method.ts'
import { PaymentMethodView, paymentMethodView } from './view.ts'

export interface PaymentMethodsParts {
  readonly methods: PaymentMethods
  codecOf(network: string): AddressCodec
}

export function paymentMethodRoutes({ methods, codecOf }: PaymentMethodsParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/payment-methods',
      auth: 'open',
      summary: 'List the payment methods invoices can be paid in',
      replies: { 200: Type.Array(PaymentMethodView) },
      handle: async () => ({
        status: 200,
        body: methods.enabled.map((method) => paymentMethodView(method, codecOf(method.network).display)),
      }),
    }),
  ]
}
