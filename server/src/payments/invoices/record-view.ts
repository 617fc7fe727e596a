import { Type } from 'typebox'
import type { AddressCodec } from '../../chains/port.ts'
import { nullable, optionalTimestamp, timestampOut } from '../../platform/http/wire.ts'
import type { InvoiceRecord } from './read-invoice.ts'
import { paidUsd } from './share.ts'
import {
  CheckoutUrlView,
  CollectStateView,
  checkoutUrl,
  detailedInvoiceView,
  InvoiceExceptionView,
  InvoiceTransactionView,
  InvoiceView,
  MethodAddressView,
  methodAddressView,
} from './view.ts'

/** An invoice with all its details, as its merchant sees the invoice. */
export const InvoiceRecordView = Type.Object(
  {
    ...InvoiceView.properties,
    amountPaid: Type.String({
      description: 'the amount received, a decimal string in USD at the quoted prices of its payments',
      examples: ['12.50'],
    }),
    exceptions: Type.Array(InvoiceExceptionView, {
      description: 'exceptions in addition to the state',
    }),
    collectState: nullable(CollectStateView),
    description: nullable(Type.String()),
    reference: nullable(Type.String()),
    redirectURL: nullable(Type.String({ examples: ['https://shop.example/thanks'] })),
    paymentMethodIDs: Type.Array(Type.Integer()),
    expiresAt: nullable(timestampOut),
    paidAt: nullable(timestampOut),
    closedAt: nullable(timestampOut),
    archived: Type.Boolean(),
    checkoutURL: CheckoutUrlView,
    addresses: Type.Array(MethodAddressView),
    transactions: Type.Array(InvoiceTransactionView),
    transactionsTotal: Type.Integer({
      description:
        'the number of all its transactions; `transactions` has the newest ones, the transaction list has all',
    }),
  },
  { title: 'InvoiceRecord' },
)

export function invoiceRecordView(
  publicUrl: string,
  codecOf: (network: string) => AddressCodec,
  { invoice, payments, addresses, transactions }: InvoiceRecord,
) {
  // A withdraw invoice receives no payments. Its claim is paid out in full or not at all.
  const isPaidOut = invoice.type === 'withdraw' && invoice.state === 'paid'
  return {
    ...detailedInvoiceView(invoice),
    amountPaid: isPaidOut ? invoice.amount : paidUsd(invoice.amountUsd, payments),
    collectState: invoice.collectState ?? null,
    redirectURL: invoice.redirectUrl ?? null,
    paymentMethodIDs: [...invoice.paymentMethodIds],
    expiresAt: optionalTimestamp(invoice.expiresAt),
    paidAt: optionalTimestamp(invoice.paidAt),
    closedAt: optionalTimestamp(invoice.closedAt),
    archived: invoice.archivedAt !== undefined,
    checkoutURL: checkoutUrl(publicUrl, invoice.id),
    addresses: addresses.map((shown) => methodAddressView(codecOf(shown.method.network), shown)),
    transactions: [...transactions.transactions],
    transactionsTotal: transactions.total,
  }
}
