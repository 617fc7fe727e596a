import { min } from '../../../core/money.ts'
import { type PaymentMethod, payerStepMinor } from '../../../pricing/payment-methods/payment-method.ts'
import { isPayable, type Payment } from '../invoice.ts'
import { dueMinor } from '../status.ts'
import type { InvoiceInContext } from '../store.ts'
import type { InvoiceAddress } from './address.ts'
import type { Quote } from './quote.ts'

/** The facts that decide which address, amount and expiry a payer is shown for one method of an invoice. */
export interface Checkout extends InvoiceInContext {
  readonly method: PaymentMethod
  readonly address: InvoiceAddress | undefined
  /** The last quote for this method of the invoice. */
  readonly quote: Quote | undefined
  /**
   * The payments of the invoice in all methods. They are ignored for a reusable invoice, because its payments
   * are not added up.
   */
  readonly payments: readonly Payment[]
}

/** What a payer is shown: where to pay, how much, and until when. */
export interface PaymentAddress {
  readonly method: PaymentMethod
  /** The address in canonical form. */
  readonly address: string
  readonly amountMinor: bigint
  readonly expiresAt: Date
}

/**
 * `show`: the stored quote is shown. `issue`: an address or a quote must be created first. `refuse`: the
 * invoice cannot be paid and has nothing to show.
 */
export type CheckoutPlan =
  | { readonly type: 'show'; readonly shown: PaymentAddress }
  | { readonly type: 'issue' }
  | { readonly type: 'refuse' }

/**
 * Decides what a payer is shown, by the database's time. An invoice that can no longer be paid still shows
 * its address with the last quote. Its `expiresAt` is then not in the future, so the payer sees that the
 * invoice has ended.
 */
export function planCheckout(checkout: Checkout): CheckoutPlan {
  const { invoice, now, method, address, quote: last } = checkout
  const payable = isPayable(invoice, now)
  if (address === undefined || last === undefined) return { type: payable ? 'issue' : 'refuse' }
  if (!payable) {
    const ends = [last.expiresAt, invoice.expiresAt, invoice.paidAt, now].filter((end) => end !== undefined)
    const expiresAt = new Date(Math.min(...ends.map((end) => end.getTime())))
    const amountMinor = amountToShow(checkout, last)
    return { type: 'show', shown: { method, address: address.address, amountMinor, expiresAt } }
  }
  if (now >= last.expiresAt) return { type: 'issue' }
  return { type: 'show', shown: showQuote(checkout, address, last) }
}

/**
 * Returns an assigned address with the amount and expiry that the payer sees. Returns an empty list if no
 * address was shown yet.
 */
export function givenAddress(checkout: Checkout): readonly PaymentAddress[] {
  const { address, quote: last } = checkout
  if (address === undefined || last === undefined) return []
  const plan = planCheckout(checkout)
  return [plan.type === 'show' ? plan.shown : showQuote(checkout, address, last)]
}

export function showQuote(checkout: Checkout, address: InvoiceAddress, quote: Quote): PaymentAddress {
  return {
    method: checkout.method,
    address: address.address,
    amountMinor: amountToShow(checkout, quote),
    expiresAt: quote.expiresAt,
  }
}

/**
 * Returns the amount that is still due at the quote's price. Returns 0 for a paid invoice, so that nobody
 * pays the invoice twice.
 */
function amountToShow({ invoice, payments, method }: Checkout, quote: Quote): bigint {
  if (invoice.state === 'paid' && invoice.type !== 'reusable') return 0n
  return min(dueMinor(quote.fullMinor, payerStepMinor(method), invoice, payments), quote.fullMinor)
}
