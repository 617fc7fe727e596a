import { required } from '../../core/assert.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { settleInvoices } from '../invoices/settle-invoices.ts'
import type { Deposit } from './deposit.ts'
import { readPayments } from './payments.ts'

/**
 * Derives the status of the invoices of some deposits again. Returns the events to append in the same
 * transaction.
 */
export function settleTouched(
  methods: PaymentMethods,
  tx: Tx,
  deposits: readonly Deposit[],
): Promise<readonly NewEvent[]> {
  const paymentsOf = readPayments.bind(undefined, methods)
  return settleInvoices({ methods, paymentsOf }, tx, invoiceIdsOf(deposits))
}

/**
 * Returns the ids of the deposits' invoices without duplicates, in the order in which they must be locked.
 */
function invoiceIdsOf(deposits: readonly Deposit[]): readonly string[] {
  const owned = deposits.filter(({ invoiceId }) => invoiceId !== undefined)
  return [...new Set(owned.map(({ invoiceId }) => required(invoiceId, 'an invoice')))].sort()
}
