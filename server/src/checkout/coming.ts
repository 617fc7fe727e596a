import { endOf, type Payment } from '../payments/invoices/invoice.ts'
import { deriveStanding } from '../payments/invoices/standing.ts'
import type { InvoiceInContext } from '../payments/invoices/store.ts'
import { type PaymentMethod, payerStepMinor } from '../pricing/payment-methods/payment-method.ts'
import type { Situation } from './phase.ts'

/** What waits for its block in one method at one price, that in time apart from that which is late. */
export interface Coming {
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /** The whole invoice at that price. */
  readonly fullMinor: bigint
  readonly inTimeAt: Date
}

/** The same as it will count once its block is there, so that its payer is not asked for it again. */
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
  transactionId: '',
  txHash: '',
  included: true,
  includedAt: undefined,
  confirmed: false,
  amlOk: true,
} as const

/** Whether what is on its way pays the invoice, together with what has come in. */
export function shareComing(
  { invoice, rules }: Pick<InvoiceInContext, 'invoice' | 'rules'>,
  received: readonly Payment[],
  coming: readonly Payment[],
): Situation['coming'] {
  if (coming.length === 0) return 'nothing'
  const { state } = deriveStanding(invoice, [...received, ...coming], { ...rules, paidWhen: 'included' })
  if (state === 'paid') return 'enough'
  const end = endOf(invoice)
  return end !== undefined && coming.every(({ inTimeAt }) => inTimeAt >= end) ? 'late' : 'part'
}
