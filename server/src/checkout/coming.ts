import { endOf, type Payment } from '../payments/invoices/invoice.ts'
import { deriveStatus } from '../payments/invoices/status.ts'
import type { InvoiceInContext } from '../payments/invoices/store.ts'
import { type PaymentMethod, payerStepMinor } from '../pricing/payment-methods/payment-method.ts'
import type { Situation } from './phase.ts'

/**
 * The sum of the payments that are not in a block yet, for one payment method and one price. Either all of
 * them were sent in time, or all were late.
 */
export interface Coming {
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /** The whole amount of the invoice, converted at the price that applies to these payments. */
  readonly fullMinor: bigint
  readonly inTimeAt: Date
}

/**
 * Converts each sum to a payment that counts as if it were in a block already. The payer is therefore not
 * asked for this money again.
 */
export function asPayments(
  coming: readonly Coming[],
  known: (methodId: number) => PaymentMethod | undefined,
): readonly Payment[] {
  return coming.flatMap((sum) => {
    const method = known(sum.paymentMethodId)
    return method === undefined ? [] : [{ ...sum, ...asIfIncluded, stepMinor: payerStepMinor(method) }]
  })
}

const asIfIncluded = {
  depositId: '',
  txHash: '',
  included: true,
  includedAt: undefined,
  confirmed: false,
  amlOk: true,
} as const

/** Decides what the payments that are not in a block yet contribute to the invoice; see `Situation`. */
export function shareComing(
  { invoice, rules }: Pick<InvoiceInContext, 'invoice' | 'rules'>,
  received: readonly Payment[],
  coming: readonly Payment[],
): Situation['coming'] {
  if (coming.length === 0) return 'nothing'
  const { state } = deriveStatus(invoice, [...received, ...coming], { ...rules, paidWhen: 'included' })
  if (state === 'paid') return 'enough'
  const end = endOf(invoice)
  return end !== undefined && coming.every(({ inTimeAt }) => inTimeAt >= end) ? 'late' : 'part'
}
