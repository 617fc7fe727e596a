import { limits } from '../../../core/limits.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { InvoiceTransactions } from '../../invoices/view.ts'
import { readNewest } from '../store.ts'
import { currencyTransactionView } from '../view.ts'

/** The newest transactions of an invoice as its record shows them, in one statement. */
export async function showTransactions(
  methods: PaymentMethods,
  on: Queryable,
  invoiceId: string,
): Promise<InvoiceTransactions> {
  const { transactions, total } = await readNewest(on, invoiceId, limits.transactionsShown)
  return {
    total,
    transactions: transactions.map((transaction) => currencyTransactionView(methods, transaction)),
  }
}
