import { required } from '../core/assert.ts'
import { groupBy } from '../core/group-by.ts'
import type { Queryable } from '../db/pool.ts'
import type { Payment } from '../invoices/invoice.ts'
import { type PaymentMethods, payerStepMinor } from '../payment-methods/payment-method.ts'
import { type PaymentRow, readPaymentRows } from './payment-store.ts'

/** The transactions of invoices as the invoices' rules see them, in the order of inclusion. */
export async function readPayments(
  methods: PaymentMethods,
  on: Queryable,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Payment[]>> {
  const grouped = groupBy(await readPaymentRows(on, invoiceIds), ({ invoiceId }) => invoiceId)
  return new Map([...grouped].map(([id, own]) => [id, own.map((row) => toPayment(methods, row))]))
}

function toPayment(methods: PaymentMethods, row: PaymentRow): Payment {
  const method = required(methods.byId(row.paymentMethodId), 'the method of a payment')
  return {
    transactionId: row.id,
    txHash: row.txHash,
    paymentMethodId: method.id,
    amountMinor: row.amountMinor,
    fullMinor: row.fullMinor,
    stepMinor: payerStepMinor(method),
    inTimeAt: row.inTimeAt,
    included: row.includedAt !== undefined,
    includedAt: row.includedAt,
    confirmed: row.state === 'confirmed',
  }
}
