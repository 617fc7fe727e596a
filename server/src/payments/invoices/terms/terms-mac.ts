/**
 * The MAC over the terms of an invoice. It covers the amount from the creation of the invoice until a payer chooses a
 * payment method. From then on, the MACs of the address and the quote cover the amount too.
 */
import type { BooksMacs } from '../../../core/books-macs.ts'
import { AlertError } from '../../../core/errors.ts'
import { macsOf, type Queryable } from '../../../platform/db/pool.ts'
import type { Invoice } from '../invoice.ts'

export type InvoiceTerms = Pick<Invoice, 'id' | 'merchantId' | 'type' | 'amount' | 'amountUsd'>

export function termsMac(macs: BooksMacs, terms: InvoiceTerms): string {
  return macs.terms.mac(macText(terms))
}

export function hasTermsMac(macs: BooksMacs, terms: InvoiceTerms, mac: string | undefined): boolean {
  return macs.terms.verify(macText(terms), mac ?? '')
}

/** @throws AlertError if none of our processes created the invoice with these terms */
export function assertTerms(on: Queryable, terms: InvoiceTerms, mac: string | undefined): void {
  if (hasTermsMac(macsOf(on), terms, mac)) return
  throw new AlertError(
    'invoice-tampered',
    `invoice ${terms.id} was not created for ${terms.amount} USD: it has no valid MAC of BOOKS_KEY_FILE over its terms`,
  )
}

function macText({ id, merchantId, type, amount, amountUsd }: InvoiceTerms): string {
  return JSON.stringify([
    'coffer/invoice/1',
    id.toLowerCase(),
    merchantId.toLowerCase(),
    type,
    amount,
    String(amountUsd),
  ])
}
