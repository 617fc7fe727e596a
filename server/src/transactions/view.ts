import { Type } from 'typebox'
import { required } from '../core/assert.ts'
import { formatDecimal } from '../core/money.ts'
import { decimalOut, nullable, optionalTimestamp, timestamp, timestampOut, uuid } from '../http/wire.ts'
import { TransactionStateView } from '../invoices/view.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { Transaction } from './transaction.ts'

export const TransactionView = Type.Object(
  {
    id: uuid,
    invoiceID: uuid,
    amount: decimalOut,
    state: TransactionStateView,
    createdAt: timestampOut,
    confirmedAt: nullable(timestampOut),
    txHash: nullable(Type.String()),
  },
  { title: 'Transaction' },
)

export function transactionView(methods: PaymentMethods, transaction: Transaction) {
  const method = required(methods.byId(transaction.paymentMethodId), 'the method of a transaction')
  return {
    id: transaction.id,
    invoiceID: required(transaction.invoiceId, "the invoice of a merchant's transaction"),
    amount: formatDecimal(transaction.amountMinor, method.decimals),
    state: transaction.state,
    createdAt: timestamp(transaction.createdAt),
    confirmedAt: optionalTimestamp(transaction.confirmedAt),
    txHash: transaction.txHash,
  }
}
