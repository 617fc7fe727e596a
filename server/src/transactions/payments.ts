import { required } from '../core/assert.ts'
import { groupBy } from '../core/group-by.ts'
import type { Queryable } from '../db/pool.ts'
import type { Payment } from '../invoices/invoice.ts'
import { type PaymentMethods, payerStepMinor } from '../payment-methods/payment-method.ts'
import { readByInvoices } from './store.ts'
import type { Transaction } from './transaction.ts'

/** The transactions of invoices as the invoices' rules see them, in the order of inclusion. */
export async function readPayments(
  methods: PaymentMethods,
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Payment[]>> {
  const transactions = await readByInvoices(on, invoiceIds)
  const grouped = groupBy(transactions, ({ invoiceId }) => required(invoiceId, 'the invoice of a payment'))
  return new Map(
    [...grouped].map(([id, own]) => [id, own.map((transaction) => toPayment(methods, transaction))]),
  )
}

function toPayment(methods: PaymentMethods, transaction: Transaction): Payment {
  const method = required(methods.byId(transaction.paymentMethodId), 'the method of a payment')
  return {
    transactionId: transaction.id,
    txHash: transaction.txHash,
    paymentMethodId: method.id,
    amountMinor: transaction.amountMinor,
    fullMinor: transaction.fullMinor,
    stepMinor: payerStepMinor(method),
    inTimeAt: transaction.inTimeAt,
    included: transaction.blockHeight !== undefined,
    includedAt: transaction.includedAt,
    confirmed: transaction.state === 'confirmed',
  }
}
