import { endOf, type Payment } from '../payments/invoices/invoice.ts'
import { deriveStatus } from '../payments/invoices/status.ts'
import type { InvoiceInContext } from '../payments/invoices/store.ts'
import { type PaymentMethod, payerStepMinor } from '../pricing/payment-methods/payment-method.ts'
import type { Situation } from './phase.ts'

/** The sum of payments not in a block yet, all of one method and price, and all in time or all late. */
export interface Coming {
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /** The whole amount of the invoice at the price of these payments. */
  readonly fullMinor: bigint
  readonly inTimeAt: Date
}

/**
 * Converts each sum to a payment that counts as already in a block, so that the payer is not asked for this
 * money again.
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

/** Decides whether payments that are not in a block yet complete the invoice, or come too late. */
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
