/** The MAC over whose an address is: who is credited by what comes to it, and what the payer owes. */
import type { BooksMacs } from '../../../core/books-macs.ts'
import { AlertError } from '../../../core/errors.ts'
import { macsOf, type Queryable } from '../../../platform/db/pool.ts'
import type { Invoice } from '../invoice.ts'
import type { DerivedAddress, InvoiceAddress } from './address.ts'

/** What an address is given away for. */
export interface Assignment {
  readonly invoiceId: string
  readonly merchantId: string
  /** Of the invoice, in 10^-8 USD. */
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

/** @throws AlertError where the address was not given to this invoice by a process of ours */
export function assertAssigned(on: Queryable, address: InvoiceAddress, invoice: Invoice): void {
  const { invoiceId, paymentMethodId, network } = address
  const { merchantId, amountUsd } = invoice
  const given = { invoiceId, paymentMethodId, network, merchantId, amountUsd }
  const stored = { ...address, assignmentMac: address.assignmentMac ?? undefined }
  if (invoice.id === invoiceId && hasAssignmentMac(macsOf(on), stored, given)) return
  throw new AlertError(
    'address-tampered',
    `address ${address.address} was not given to invoice ${invoice.id}: it carries no MAC of BOOKS_KEY_FILE for it`,
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
