/** The labels that users see in place of the API's values. */
import { isAtLeast } from '../../design/format-amount.ts'
import type { invoiceTypes } from './invoice-filters.ts'

type InvoiceType = (typeof invoiceTypes)[number]

export const typeNames: Readonly<Record<InvoiceType, string>> = {
  onetime: 'One-time',
  reusable: 'Reusable',
  collect: 'Collection',
  withdraw: 'Payout link',
}

export const typeMeanings: Readonly<Record<InvoiceType, string>> = {
  onetime: 'Paid once, such as for an order.',
  reusable: 'Paid any number of times, such as for a price tag or a donation of a fixed amount.',
  collect: 'Paid by many payers towards one target amount.',
  withdraw: 'You pay: anyone who has the link can claim the amount to their own address.',
}

interface InvoiceStatus {
  readonly type: InvoiceType
  readonly state: string
  readonly amount: string
  /** The amount paid; undefined in lists, because their records do not have it. */
  readonly amountPaid?: string
  readonly exceptions?: readonly string[] | undefined
}

/**
 * Returns the badges of an invoice: its state, then its exceptions. Late payments do not count towards the
 * amount, so the API calls an invoice underpaid even if the payer sent its whole amount late. The dashboard
 * then shows "paid late" instead.
 */
export function badgesOf({
  type,
  state,
  amount,
  amountPaid,
  exceptions = [],
}: InvoiceStatus): readonly string[] {
  const isShortInTime = exceptions.includes('late') && exceptions.includes('underpaid')
  if (!isShortInTime || type === 'reusable') return [state, ...exceptions]
  const others = exceptions.filter((one) => one !== 'underpaid' && one !== 'late')
  // The merchant accepted the late payment.
  if (state === 'paid') return [state, 'late', ...others]
  if (amountPaid === undefined) return [state, 'late payment', ...others]
  return isAtLeast(amountPaid, amount)
    ? [state, 'paid late', ...others]
    : [state, 'underpaid', 'late', ...others]
}
