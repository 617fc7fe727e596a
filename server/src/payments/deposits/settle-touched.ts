import { required } from '../../core/assert.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { settleInvoices } from '../invoices/settle-invoices.ts'
import type { Transaction } from './deposit.ts'
import { readPayments } from './payments.ts'

/** Derives anew the invoices that some transactions belong to; returns the events to append in the same transaction. */
export function settleTouched(
  methods: PaymentMethods,
  tx: Tx,
  transactions: readonly Transaction[],
): Promise<readonly NewEvent[]> {
  const paymentsOf = readPayments.bind(undefined, methods)
  return settleInvoices({ methods, paymentsOf }, tx, invoiceIdsOf(transactions))
}

/** The invoices some transactions belong to, each once, in lock order. */
function invoiceIdsOf(transactions: readonly Transaction[]): readonly string[] {
  const owned = transactions.filter(({ invoiceId }) => invoiceId !== undefined)
  return [...new Set(owned.map(({ invoiceId }) => required(invoiceId, 'an invoice')))].sort()
}
