import { required } from '../core/assert.ts'
import { limits } from '../core/limits.ts'
import type { Queryable } from '../db/pool.ts'
import type { InvoiceTransactions } from '../invoices/view.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { readNewest } from './store.ts'
import { transactionView } from './view.ts'

/** The newest transactions of an invoice as its record shows them, in one statement. */
export async function showTransactions(
  methods: PaymentMethods,
  on: Queryable,
  invoiceId: string,
): Promise<InvoiceTransactions> {
  const { transactions, total } = await readNewest(on, invoiceId, limits.transactionsShown)
  return {
    total,
    transactions: transactions.map((transaction) => {
      const { id, symbol } = required(
        methods.byId(transaction.paymentMethodId),
        'the method of a transaction',
      )
      return { ...transactionView(methods, transaction), currency: symbol, paymentMethodID: id }
    }),
  }
}
