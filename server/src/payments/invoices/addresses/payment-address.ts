import { min } from '../../../core/money.ts'
import { type PaymentMethod, payerStepMinor } from '../../../pricing/payment-methods/payment-method.ts'
import { isPayable, type Payment } from '../invoice.ts'
import { dueMinor } from '../standing.ts'
import type { InvoiceInContext } from '../store.ts'
import type { InvoiceAddress } from './address.ts'
import type { Quote } from './quote.ts'

/** Everything that decides what a payer is shown for one method of an invoice. */
export interface Checkout extends InvoiceInContext {
  readonly method: PaymentMethod
  readonly address: InvoiceAddress | undefined
  /** The last one of this method. */
  readonly quote: Quote | undefined
  /** Of the whole invoice; those of a reusable one do not pool and count for nothing here. */
  readonly payments: readonly Payment[]
}

/** What a payer is shown: where to pay, how much, until when. */
export interface PaymentAddress {
  readonly method: PaymentMethod
  /** In canonical spelling. */
  readonly address: string
  readonly amountMinor: bigint
  readonly expiresAt: Date
}

/** Show what is there; issue what is missing first; or refuse, as there is nothing to pay and nothing to show. */
export type CheckoutPlan =
  | { readonly type: 'show'; readonly shown: PaymentAddress }
  | { readonly type: 'issue' }
  | { readonly type: 'refuse' }

/**
 * Decides at database time. An invoice that can no longer be paid still shows its address with the last quote and
 * an `expiresAt` in the past, so that a payer who comes back reads the truth.
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

/** An address that was given out, with what its payer was or is shown; nothing where none was. */
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

/** What is still due at the quote's price. Of an invoice that is paid nothing is, so that nobody pays it twice. */
function amountToShow({ invoice, payments, method }: Checkout, quote: Quote): bigint {
  if (invoice.state === 'paid' && invoice.type !== 'reusable') return 0n
  return min(dueMinor(quote.fullMinor, payerStepMinor(method), invoice, payments), quote.fullMinor)
}
