/** What people read where the API has words of its own. */
import type { invoiceTypes } from './invoice-filters.ts'

type InvoiceType = (typeof invoiceTypes)[number]

export const typeNames: Readonly<Record<InvoiceType, string>> = {
  onetime: 'One-time',
  reusable: 'Reusable',
  collect: 'Collecting',
  withdraw: 'Paying out',
}

export const typeMeanings: Readonly<Record<InvoiceType, string>> = {
  onetime: 'Paid once, then it is over: an order.',
  reusable: 'Paid again and again: a price tag, a donation of a fixed amount.',
  collect: 'Many payers towards one target.',
  withdraw: 'You pay out: whoever has the link claims the amount to an address of theirs.',
}
