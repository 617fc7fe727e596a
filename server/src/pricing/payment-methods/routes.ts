import { Type } from 'typebox'
import type { AddressCodec } from '../../chains/port.ts'
import { type Route, route } from '../../platform/http/route.ts'
import type { PaymentMethod, PaymentMethods } from './payment-method.ts'
import { PaymentMethodView, paymentMethodView } from './view.ts'

export interface PaymentMethodsParts {
  readonly methods: PaymentMethods
  /** What is in the catalogue and cannot be paid by here, with what the operator can do about it. */
  readonly unavailable: readonly { readonly method: PaymentMethod; readonly remedy: string }[]
  codecOf(network: string): AddressCodec
}

export function paymentMethodRoutes(parts: PaymentMethodsParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/payment-methods',
      auth: 'open',
      summary: 'List the payment methods invoices can be paid in',
      query: Type.Object({
        include: Type.Optional(
          Type.Literal('unavailable', {
            description: 'those as well that are not enabled here, each with why',
          }),
        ),
      }),
      replies: { 200: Type.Array(PaymentMethodView) },
      handle: async ({ query }) => ({
        status: 200,
        body: [...enabledOf(parts), ...(query.include === undefined ? [] : unavailableOf(parts))],
      }),
    }),
  ]
}

function enabledOf({ methods, codecOf }: PaymentMethodsParts) {
  return methods.enabled.map((method) => paymentMethodView(method, codecOf(method.network).display))
}

/** Of coins alone, which have no contract to spell: tokens are on a network that is always there. */
function unavailableOf({ unavailable }: PaymentMethodsParts) {
  return unavailable.map(({ method, remedy }) => ({
    ...paymentMethodView(method, (address) => address),
    unavailable: `Its operator follows no ${method.network} chain. To the operator: ${remedy}.`,
  }))
}
