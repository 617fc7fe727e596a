/**
 * Checks which invoice owns a deposit. One MAC proves that our process assigned the address to the invoice.
 * Another MAC proves that our process quoted the price.
 */

import type { Transfer } from '../../chains/port.ts'
import type { BooksMacs } from '../../core/books-macs.ts'
import type { Tampering } from '../../platform/audit/tampering-store.ts'
import { hasAssignmentMac } from '../invoices/addresses/assignment-mac.ts'
import { hasQuoteMac, type MacedQuote } from '../invoices/addresses/quote-mac.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { WatchedAddress } from './recording/watched-store.ts'

/**
 * Returns whether an address belongs to the owner that its row names. A hot wallet has no owner and needs no
 * MAC. An unassigned address has no MAC either: a MAC without an owner shows that somebody removed the owner.
 */
export function isOwnerProven(
  macs: BooksMacs,
  { address, merchantId, invoiceId, assignment }: WatchedAddress,
  invoice: Invoice | undefined,
): boolean {
  if (assignment === undefined) return true
  const { network, paymentMethodId, mac } = assignment
  if (merchantId === undefined && invoiceId === undefined) return mac === undefined
  if (invoice === undefined || invoice.id !== invoiceId || invoice.merchantId !== merchantId) return false
  if (network === undefined || paymentMethodId === undefined) return false
  const given = { invoiceId, merchantId, amountUsd: invoice.amountUsd, paymentMethodId, network }
  return hasAssignmentMac(macs, { ...assignment, address, assignmentMac: mac }, given)
}

/** Returns whether one of our processes made the quote for the current amount of the invoice. */
export function isQuoteProven(macs: BooksMacs, quote: MacedQuote, invoice: Invoice | undefined): boolean {
  return invoice !== undefined && hasQuoteMac(macs, quote, invoice)
}

interface WatchedTransfer {
  readonly transfer: Transfer
  readonly watched: WatchedAddress
}

/** Returns a copy of the deposit without its owner, so that an operator can attribute the deposit. */
export function disowned<D extends WatchedTransfer>(deposit: D): D {
  return { ...deposit, watched: { ...deposit.watched, merchantId: undefined, invoiceId: undefined } }
}

/** Returns the record of tampering for a deposit whose owner is not proven. */
export function tamperingOf(
  network: string,
  { transfer, watched }: WatchedTransfer,
  what: string,
): Tampering {
  const { key, txHash, recipient } = transfer
  const owner = watched.invoiceId === undefined ? 'nobody' : `invoice ${watched.invoiceId}`
  return {
    subject: `payment ${network}/${key}`,
    detail: `${what} has no valid MAC of BOOKS_KEY_FILE: the payment ${txHash} to ${recipient}, whose row names ${owner}, is booked as unattributed`,
  }
}
