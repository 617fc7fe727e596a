import { Problem } from '../core/errors.ts'
import { givePaymentAddress } from '../payments/invoices/addresses/give-payment-address.ts'
import { checkoutPath, type ShowCheckoutParts } from './show-checkout.ts'

export interface MethodChoice {
  readonly invoiceId: string
  readonly methodId: number
  readonly lang: string | undefined
}

/**
 * Assigns the invoice an address for the payment method. If it already has one and the price has expired, it
 * gets a new price.
 * @returns the path of the page, which shows the address or says why no address could be assigned.
 * @throws Problem not-found
 */
export async function chooseMethod(
  parts: ShowCheckoutParts,
  { invoiceId, methodId, lang }: MethodChoice,
): Promise<string> {
  const path = checkoutPath(invoiceId)
  const query = new URLSearchParams(lang === undefined ? {} : { lang })
  try {
    await givePaymentAddress(parts, invoiceId, methodId)
    query.set('method', String(methodId))
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'not-found') throw error
    query.set('notice', error.code)
    query.set('choose', 'true')
  }
  return `${path}?${query.toString()}`
}
