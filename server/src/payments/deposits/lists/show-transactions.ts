import { limits } from '../../../core/limits.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { InvoiceTransactions } from '../../invoices/view.ts'
import { foundByOf } from '../recording/found-by-balance.ts'
import { readNewest } from '../store.ts'
import { readCreditable } from '../unattributed/read-creditable.ts'
import { currencyTransactionView, wrongNetworkView } from '../view.ts'

/**
 * Returns the newest deposits of an invoice and the number of all its deposits, as the API shows them.
 */
export async function showTransactions(
  methods: PaymentMethods,
  on: Queryable,
  invoiceId: string,
): Promise<InvoiceTransactions> {
  const { deposits, total } = await readNewest(on, invoiceId, limits.depositsShown)
  const creditable = await readCreditable(methods, on, deposits)
  return {
    total,
    transactions: deposits.map((deposit) => ({
      ...currencyTransactionView(methods, deposit),
      foundBy: foundByOf(deposit),
      ...wrongNetworkView(methods, deposit, creditable.has(deposit.id)),
    })),
  }
}
