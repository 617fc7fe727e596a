import { Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import {
  decimalOut,
  nullable,
  oneOf,
  optionalTimestamp,
  timestamp,
  timestampOut,
  uuid,
} from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { TransactionStateView } from '../invoices/view.ts'
import { isAmlOk, seenIn, type Transaction, whereabouts } from './deposit.ts'

export const TransactionView = Type.Object(
  {
    id: uuid,
    invoiceID: uuid,
    amount: decimalOut,
    state: TransactionStateView,
    createdAt: timestampOut,
    confirmedAt: nullable(timestampOut),
    txHash: nullable(Type.String()),
    paymentMethodID: Type.Optional(Type.Integer({ description: 'in lists with `showCurrency` alone' })),
    currency: Type.Optional(Type.String({ description: 'likewise' })),
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

/** What the amount is of. */
function currencyOf(methods: PaymentMethods, { paymentMethodId }: Transaction) {
  const { id, symbol } = required(methods.byId(paymentMethodId), 'the method of a transaction')
  return { paymentMethodID: id, currency: symbol }
}

/** As lists show it to who asks for currencies too. */
export function currencyTransactionView(methods: PaymentMethods, transaction: Transaction) {
  return { ...transactionView(methods, transaction), ...currencyOf(methods, transaction) }
}

/** What a merchant sees of one transaction by itself, beyond what lists show. */
export const SingleTransactionView = Type.Object(
  {
    ...TransactionView.properties,
    paymentMethodID: Type.Integer(),
    currency: Type.String(),
    amlOk: Type.Boolean({
      description: 'whether its sender passed screening; false as long as it cannot be told',
    }),
    seenIn: oneOf(whereabouts, {
      title: 'TransactionWhereabouts',
      description: 'where it is now; what is in no block counts for nothing yet',
    }),
    replacedBy: nullable(
      Type.String({
        description:
          'hash of a transaction that spends the same money: only one of the two is ever mined, and this one fails when the other is final',
      }),
    ),
  },
  { title: 'SingleTransaction' },
)

export function singleTransactionView(methods: PaymentMethods, transaction: Transaction) {
  return {
    ...currencyTransactionView(methods, transaction),
    amlOk: isAmlOk(transaction),
    seenIn: seenIn(transaction),
    replacedBy: transaction.replacedBy ?? null,
  }
}
