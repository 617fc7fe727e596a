/** The MAC of a quote. It also covers the amount and the merchant of the quote's invoice. */
import type { BooksMacs } from '../../../core/books-macs.ts'
import type { Invoice } from '../invoice.ts'
import type { Quote } from './quote.ts'

type QuotedInvoice = Pick<Invoice, 'merchantId' | 'amountUsd'>

/** A quote with the MAC of the process that made it. */
export interface MacedQuote extends Quote {
  readonly mac: string
}

export function withQuoteMac(macs: BooksMacs, quote: Quote, invoice: QuotedInvoice): MacedQuote {
  return { ...quote, mac: macs.quote.mac(macText(quote, invoice)) }
}

export function hasQuoteMac(macs: BooksMacs, quote: MacedQuote, invoice: QuotedInvoice): boolean {
  return macs.quote.verify(macText(quote, invoice), quote.mac)
}

function macText(quote: Quote, { merchantId, amountUsd }: QuotedInvoice): string {
  return JSON.stringify([
    'coffer/quote/1',
    quote.id.toLowerCase(),
    quote.invoiceId.toLowerCase(),
    String(quote.paymentMethodId),
    String(quote.priceUsd),
    String(quote.fullMinor),
    quote.quotedAt.toISOString(),
    quote.expiresAt.toISOString(),
    merchantId.toLowerCase(),
    String(amountUsd),
  ])
}
