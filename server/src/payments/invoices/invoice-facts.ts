/**
 * Defines which facts about invoices a process remembers after it acknowledged them. If the database loses
 * these invoices, the process can restore them.
 */
import { factKind } from '../../core/committed-facts.ts'
import type { Rate } from '../../pricing/rates/rate.ts'
import type { DerivedAddress } from './addresses/address.ts'
import type { Assignment } from './addresses/assignment-mac.ts'
import type { MacedQuote } from './addresses/quote-mac.ts'
import type { NewInvoice, PaymentRules } from './invoice.ts'

/** A new invoice with the values that the database set. */
export interface StoredInvoice extends NewInvoice {
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly rules: PaymentRules
}

/** An address that was assigned to an invoice. */
export interface GivenAddress {
  readonly derived: DerivedAddress & { readonly mac: Buffer }
  readonly assignment: Assignment
}

/** A quote, with the rate from which it was computed. */
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
