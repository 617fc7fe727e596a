import { Type } from 'typebox'
import type { AddressCodec } from '../../../chains/port.ts'
import { fail } from '../../../core/errors.ts'
import type { Caller } from '../../../platform/http/auth.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { paymentMethodId } from '../../../platform/http/wire.ts'
import { MethodAddressView, methodAddressView, PaymentAddressView, paymentAddressView } from '../view.ts'
import { findGiven } from './checkout-store.ts'
import { givePaymentAddress, givePaymentAddresses, type PaymentAddressParts } from './give-payment-address.ts'

export interface AddressRouteParts extends PaymentAddressParts {
  codecOf(network: string): AddressCodec
  /** Returns whether a caller may see a merchant's data. Used for paths that contain no merchant id. */
  mayRead(caller: Caller, merchantId: string): Promise<boolean>
}

/** Returns the routes that show payers where and how much to pay. */
export function addressRoutes(parts: AddressRouteParts): readonly Route[] {
  return [addressRoute(parts), addressesRoute(parts)]
}

function addressRoute(parts: AddressRouteParts): Route {
  return route({
    method: 'GET',
    path: '/public/invoices/:invoiceID/method/:methodID/address',
    operationId: 'getPaymentAddress',
    auth: 'open',
    crossOrigin: true,
    summary: 'Get the payment address and the amount to pay, for a payer',
    params: { methodID: paymentMethodId },
    replies: { 200: PaymentAddressView },
    errors: [
      'not-found',
      'method-not-offered',
      'invoice-not-payable',
      'below-minimum',
      'rate-unavailable',
      'too-busy',
    ],
    handle: async ({ params }) => {
      const shown = await givePaymentAddress(parts, params.invoiceID, params.methodID)
      return { status: 200, body: paymentAddressView(parts.codecOf(shown.method.network), shown) }
    },
  })
}

function addressesRoute(parts: AddressRouteParts): Route {
  return route({
    method: 'GET',
    path: '/public/invoices/:invoiceID/addresses',
    operationId: 'listPaymentAddresses',
    auth: 'any',
    summary: 'List the payment addresses of an invoice, one for each payment method',
    replies: { 200: Type.Array(MethodAddressView) },
    errors: ['not-found', 'invoice-not-payable', 'below-minimum', 'rate-unavailable', 'too-busy'],
    handle: async ({ caller, params }) => {
      const invoice = await findGiven(parts.db, params.invoiceID)
      if (invoice === undefined || !(await parts.mayRead(caller, invoice.invoice.merchantId))) {
        throw fail('not-found', 'No such invoice.')
      }
      const given = await givePaymentAddresses(parts, invoice)
      const body = given.map((shown) => methodAddressView(parts.codecOf(shown.method.network), shown))
      return { status: 200, body }
    },
  })
}
