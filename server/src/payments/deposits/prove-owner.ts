/** Whose a deposit is, by what the processes that gave its address away and promised its price vouch for. */

import type { Transfer } from '../../chains/port.ts'
import type { BooksMacs } from '../../core/books-macs.ts'
import type { Tampering } from '../../platform/audit/tampering-store.ts'
import { hasAssignmentMac } from '../invoices/addresses/assignment-mac.ts'
import { hasQuoteMac, type MacedQuote } from '../invoices/addresses/quote-mac.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { WatchedAddress } from './recording/watched-store.ts'

/**
 * Whether an address belongs to whom its row says. A hot wallet is nobody's by where it is stored; an address that was
 * given to nobody has no MAC, so one with a MAC was taken from somebody.
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

/** Whether a price was promised by us, for what the invoice asks now. */
export function isQuoteProven(macs: BooksMacs, quote: MacedQuote, invoice: Invoice | undefined): boolean {
  return invoice !== undefined && hasQuoteMac(macs, quote, invoice)
}

interface WatchedTransfer {
  readonly transfer: Transfer
  readonly watched: WatchedAddress
}

/** The same deposit as nobody's, for an operator to assign. */
export function disowned<D extends WatchedTransfer>(deposit: D): D {
  return { ...deposit, watched: { ...deposit.watched, merchantId: undefined, invoiceId: undefined } }
}

/** What is told of a deposit that was disowned. */
export function tamperingOf(
  network: string,
  { transfer, watched }: WatchedTransfer,
  what: string,
): Tampering {
  const { key, txHash, recipient } = transfer
  const whose = watched.invoiceId === undefined ? 'nobody' : `invoice ${watched.invoiceId}`
  return {
    subject: `payment ${network}/${key}`,
    detail: `${what} carries no MAC of BOOKS_KEY_FILE: the payment ${txHash} to ${recipient}, by its row of ${whose}, is booked as unattributed`,
  }
}
