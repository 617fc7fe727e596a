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

/** An invoice in full. */
export const InvoiceRecordView = Type.Object(
  {
    ...InvoiceView.properties,
    amountPaid: Type.String({
      description: 'what came in, as a decimal string in USD at the prices its payments were quoted',
      examples: ['12.50'],
    }),
    exceptions: Type.Array(InvoiceExceptionView, {
      description: 'facts beside the state',
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
        'all there are; the newest of them are in `transactions`, every one in the transaction list',
    }),
  },
  { title: 'InvoiceRecord' },
)

export function invoiceRecordView(
  publicUrl: string,
  codecOf: (network: string) => AddressCodec,
  { invoice, payments, addresses, transactions }: InvoiceRecord,
) {
  // Nobody pays a withdraw invoice: it is paid out whole, or not at all.
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
