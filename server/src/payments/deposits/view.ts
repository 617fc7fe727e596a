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
import { foundByField, TransactionStateView, wrongNetworkFields } from '../invoices/view.ts'
import { type Deposit, isAmlOk, seenIn, whereabouts } from './deposit.ts'
import { splitOf } from './journals.ts'
import { foundByOf, knownTxHash } from './recording/found-by-balance.ts'
import { isOnWrongNetwork } from './wrong-network.ts'

export const TransactionView = Type.Object(
  {
    id: uuid,
    invoiceID: uuid,
    amount: decimalOut,
    state: TransactionStateView,
    createdAt: timestampOut,
    confirmedAt: nullable(timestampOut),
    txHash: nullable(Type.String()),
    paymentMethodID: Type.Optional(Type.Integer({ description: 'only in lists with `showCurrency`' })),
    currency: Type.Optional(Type.String({ description: 'only in lists with `showCurrency`' })),
  },
  { title: 'Transaction' },
)

export function transactionView(methods: PaymentMethods, deposit: Deposit) {
  const method = required(methods.byId(deposit.paymentMethodId), 'the method of a transaction')
  return {
    id: deposit.id,
    invoiceID: required(deposit.invoiceId, "the invoice of a merchant's transaction"),
    amount: formatDecimal(deposit.amountMinor, method.decimals),
    state: deposit.state,
    createdAt: timestamp(deposit.createdAt),
    confirmedAt: optionalTimestamp(deposit.confirmedAt),
    txHash: knownTxHash(deposit),
  }
}

/** Returns the payment method and currency of a deposit's amount. */
function currencyOf(methods: PaymentMethods, { paymentMethodId }: Deposit) {
  const { id, symbol } = required(methods.byId(paymentMethodId), 'the method of a transaction')
  return { paymentMethodID: id, currency: symbol }
}

/** Returns a deposit in the format of a list with `showCurrency`. */
export function currencyTransactionView(methods: PaymentMethods, deposit: Deposit) {
  return { ...transactionView(methods, deposit), ...currencyOf(methods, deposit) }
}

/**
 * Returns what a transaction of an invoice has in addition to the fields in lists.
 * @param isCreditable whether the merchant can credit the deposit now, by `readCreditable`
 */
export function wrongNetworkView(methods: PaymentMethods, deposit: Deposit, isCreditable: boolean) {
  const { decimals } = required(methods.byId(deposit.paymentMethodId), 'the method of a transaction')
  return {
    isWrongNetwork: isOnWrongNetwork(methods, deposit),
    isCreditable,
    creditFee: isCreditable ? formatDecimal(splitOf(deposit, decimals).feeMinor, decimals) : null,
  }
}

/** A single transaction as its merchant sees the transaction. It has more fields than in lists. */
export const SingleTransactionView = Type.Object(
  {
    ...TransactionView.properties,
    foundBy: foundByField,
    paymentMethodID: Type.Integer(),
    currency: Type.String(),
    amlOk: Type.Boolean({
      description: 'whether its sender passed screening; false while it is unknown',
    }),
    seenIn: oneOf(whereabouts, {
      title: 'TransactionWhereabouts',
      description: 'where the transaction is now; it does not count before it is in a block',
    }),
    ...wrongNetworkFields,
    replacedBy: nullable(
      Type.String({
        description:
          'the hash of a transaction that spends the same money: only one of them can be confirmed, and this one fails when the other is final',
      }),
    ),
  },
  { title: 'SingleTransaction' },
)

export function singleTransactionView(methods: PaymentMethods, deposit: Deposit, isCreditable: boolean) {
  return {
    ...currencyTransactionView(methods, deposit),
    foundBy: foundByOf(deposit),
    amlOk: isAmlOk(deposit),
    seenIn: seenIn(deposit),
    replacedBy: deposit.replacedBy ?? null,
    ...wrongNetworkView(methods, deposit, isCreditable),
  }
}
