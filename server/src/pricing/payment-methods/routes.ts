import { Type } from 'typebox'
import type { AddressCodec } from '../../chains/port.ts'
import { type Route, route } from '../../platform/http/route.ts'
import type { PaymentMethod, PaymentMethods } from './payment-method.ts'
import { PaymentMethodView, paymentMethodView } from './view.ts'

export interface PaymentMethodsParts {
  readonly methods: PaymentMethods
  /**
   * Methods of the catalogue in which no invoice can be paid in this installation. `reason` is a sentence for
   * merchants, and `remedy` tells the operator what to do.
   */
  readonly unavailable: readonly {
    readonly method: PaymentMethod
    readonly reason: string
    readonly remedy: string
  }[]
  /** Whether the networks are main chains. In the sandbox they are dev chains. */
  readonly isMain: boolean
  codecOf(network: string): AddressCodec
  /** Returns the networks on which the coin that contracts send is seen late. */
  readLate(): Promise<ReadonlySet<string>>
}

export function paymentMethodRoutes(parts: PaymentMethodsParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/payment-methods',
      auth: 'open',
      summary: 'List the payment methods in which invoices can be paid',
      query: Type.Object({
        include: Type.Optional(
          Type.Literal('unavailable', {
            description: 'also lists the methods that are not enabled on this server, each with the reason',
          }),
        ),
      }),
      replies: { 200: Type.Array(PaymentMethodView) },
      handle: async ({ query }) => ({
        status: 200,
        body: [
          ...enabledOf(parts, await parts.readLate()),
          ...(query.include === undefined ? [] : unavailableOf(parts)),
        ],
      }),
    }),
  ]
}

function enabledOf({ methods, isMain, codecOf }: PaymentMethodsParts, late: ReadonlySet<string>) {
  return methods.enabled.map((method) =>
    paymentMethodView(method, {
      isMain,
      isLate: late.has(method.network),
      displayAddress: codecOf(method.network).display,
    }),
  )
}

/**
 * Returns the methods in which no invoice can be paid here. A token's contract address is shown in
 * canonical form, because no address codec of such a network is open.
 */
function unavailableOf({ unavailable, isMain }: PaymentMethodsParts) {
  return unavailable.map(({ method, reason, remedy }) => ({
    ...paymentMethodView(method, { isMain, displayAddress: (address) => address }),
    unavailable: `${reason} For the operator: ${remedy}.`,
  }))
}
