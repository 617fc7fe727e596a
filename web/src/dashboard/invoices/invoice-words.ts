/** What people read where the API has words of its own. */
import { isAtLeast } from '../../design/format-amount.ts'
import type { invoiceTypes } from './invoice-filters.ts'

type InvoiceType = (typeof invoiceTypes)[number]

export const typeNames: Readonly<Record<InvoiceType, string>> = {
  onetime: 'One-time',
  reusable: 'Reusable',
  collect: 'Collecting',
  withdraw: 'Payout link',
}

export const typeMeanings: Readonly<Record<InvoiceType, string>> = {
  onetime: 'Paid once, then it is over: an order.',
  reusable: 'Paid again and again: a price tag, a donation of a fixed amount.',
  collect: 'Many payers towards one target.',
  withdraw: 'You pay out: whoever has the link claims the amount to an address of theirs.',
}

interface Standing {
  readonly type: InvoiceType
  readonly state: string
  readonly amount: string
  /** Lists do not tell it. */
  readonly amountPaid?: string
  readonly exceptions?: readonly string[] | undefined
}

/**
 * The badges of an invoice: its state, then what else holds. What came after the time does not count for the invoice, so
 * that the API calls one underpaid whose whole amount came late; a person reads that it was paid late.
 */
export function badgesOf({ type, state, amount, amountPaid, exceptions = [] }: Standing): readonly string[] {
  const isShortInTime = exceptions.includes('late') && exceptions.includes('underpaid')
  if (!isShortInTime || type === 'reusable') return [state, ...exceptions]
  const others = exceptions.filter((one) => one !== 'underpaid' && one !== 'late')
  // Its merchant accepted what came.
  if (state === 'paid') return [state, 'late', ...others]
  if (amountPaid === undefined) return [state, 'late payment', ...others]
  return isAtLeast(amountPaid, amount)
    ? [state, 'paid late', ...others]
    : [state, 'underpaid', 'late', ...others]
}
