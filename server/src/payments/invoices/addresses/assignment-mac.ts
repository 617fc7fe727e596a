/**
 * The MAC over the assignment of an address. It covers who is credited for deposits to the address, and how
 * much the payer owes.
 */
import type { BooksMacs } from '../../../core/books-macs.ts'
import { AlertError } from '../../../core/errors.ts'
import { macsOf, type Queryable } from '../../../platform/db/pool.ts'
import type { Invoice } from '../invoice.ts'
import type { DerivedAddress, InvoiceAddress } from './address.ts'

/** The assignment of an address to an invoice, with the invoice's merchant, amount, network and payment method. */
export interface Assignment {
  readonly invoiceId: string
  readonly merchantId: string
  /** The amount of the invoice, in 10^-8 USD. */
  readonly amountUsd: bigint
  readonly paymentMethodId: number
  readonly network: string
}

export function assignmentMac(macs: BooksMacs, address: DerivedAddress, assignment: Assignment): string {
  return macs.assignment.mac(macText(address, assignment))
}

export function hasAssignmentMac(
  macs: BooksMacs,
  address: DerivedAddress & { readonly assignmentMac: string | undefined },
  assignment: Assignment,
): boolean {
  return macs.assignment.verify(macText(address, assignment), address.assignmentMac ?? '')
}

/** @throws AlertError if none of our processes assigned the address to this invoice */
export function assertAssigned(on: Queryable, address: InvoiceAddress, invoice: Invoice): void {
  const { invoiceId, paymentMethodId, network } = address
  const { merchantId, amountUsd } = invoice
  const given = { invoiceId, paymentMethodId, network, merchantId, amountUsd }
  const stored = { ...address, assignmentMac: address.assignmentMac ?? undefined }
  if (invoice.id === invoiceId && hasAssignmentMac(macsOf(on), stored, given)) return
  throw new AlertError(
    'address-tampered',
    `address ${address.address} was not assigned to invoice ${invoice.id}: it has no valid MAC of BOOKS_KEY_FILE for it`,
  )
}

function macText({ family, address, branch, index }: DerivedAddress, assignment: Assignment): string {
  return JSON.stringify([
    'coffer/assignment/1',
    family,
    address,
    String(branch),
    String(index),
    assignment.network,
    assignment.invoiceId.toLowerCase(),
    String(assignment.paymentMethodId),
    assignment.merchantId.toLowerCase(),
    String(assignment.amountUsd),
  ])
}
