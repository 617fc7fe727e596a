/** What a process remembers of invoices that it acknowledged: enough to put them back where the database loses them. */
import { factKind } from '../../core/committed-facts.ts'
import type { Rate } from '../../pricing/rates/rate.ts'
import type { DerivedAddress } from './addresses/address.ts'
import type { Assignment } from './addresses/assignment-mac.ts'
import type { MacedQuote } from './addresses/quote-mac.ts'
import type { NewInvoice, PaymentRules } from './invoice.ts'

/** A new invoice with what the database gave it. */
export interface StoredInvoice extends NewInvoice {
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly rules: PaymentRules
}

/** An address that was given away. */
export interface GivenAddress {
  readonly place: DerivedAddress & { readonly mac: Buffer }
  readonly assignment: Assignment
}

/** A price that was promised, and what it was made from. */
export interface PromisedQuote {
  readonly quote: MacedQuote
  readonly rate: Rate
}

export interface MadeDecision {
  readonly invoiceId: string
  readonly action: 'invoice.accepted' | 'invoice.closed' | 'invoice.deleted'
}

export const invoiceFacts = factKind<StoredInvoice>('invoice')
export const addressFacts = factKind<GivenAddress>('address')
export const quoteFacts = factKind<PromisedQuote>('quote')
export const decisionFacts = factKind<MadeDecision>('decision')
