import { type Static, Type } from 'typebox'
import type { AddressCodec } from '../../chains/port.ts'
import { formatDecimal, roundToDecimals } from '../../core/money.ts'
import { decimalOut, nullable, oneOf, timestamp, timestampOut, uuid } from '../../platform/http/wire.ts'
import { type PaymentMethod, payerDecimals } from '../../pricing/payment-methods/payment-method.ts'
import type { PaymentAddress } from './addresses/payment-address.ts'
import { collectStates, type Invoice, invoiceExceptions, invoiceStates, invoiceTypes } from './invoice.ts'

export const InvoiceTypeView = oneOf(invoiceTypes, { title: 'InvoiceType' })
export const InvoiceStateView = oneOf(invoiceStates, { title: 'InvoiceState' })
export const InvoiceExceptionView = oneOf(invoiceExceptions, { title: 'InvoiceException' })
export const CollectStateView = oneOf(collectStates, { title: 'CollectState' })

export const InvoiceView = Type.Object(
  {
    id: uuid,
    amount: decimalOut,
    type: InvoiceTypeView,
    state: InvoiceStateView,
    createdAt: timestampOut,
    paymentMethodID: Type.Integer(),
    amlOk: Type.Boolean(),
    description: Type.Optional(
      nullable(
        Type.String({ description: 'only in lists with `showDetails`, like `reference` and `exceptions`' }),
      ),
    ),
    reference: Type.Optional(nullable(Type.String())),
    exceptions: Type.Optional(Type.Array(InvoiceExceptionView)),
  },
  { title: 'Invoice' },
)

/** Returns the URL of the page where an invoice is paid, or where a withdraw invoice is claimed. */
export function checkoutUrl(publicUrl: string, invoiceId: string): string {
  return `${publicUrl}/pay/${invoiceId}`
}

export const CheckoutUrlView = Type.String({
  description:
    'the page where the invoice is paid; for a withdraw invoice, the page needs the token of `claimURL`',
  examples: ['https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70'],
})

export const CreatedInvoiceView = Type.Object({
  id: uuid,
  checkoutURL: CheckoutUrlView,
  claimURL: Type.Optional(
    Type.String({
      description: 'for a withdraw invoice: whoever opens it enters the address that receives the money',
      examples: ['https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE'],
    }),
  ),
})

export function invoiceView(invoice: Invoice) {
  return {
    id: invoice.id,
    amount: invoice.amount,
    type: invoice.type,
    state: invoice.state,
    createdAt: timestamp(invoice.createdAt),
    paymentMethodID: invoice.paymentMethodId,
    amlOk: invoice.amlOk,
  }
}

/** Returns an invoice in the format of a list with `showDetails`. */
export function detailedInvoiceView(invoice: Invoice) {
  return {
    ...invoiceView(invoice),
    description: invoice.description ?? null,
    reference: invoice.reference ?? null,
    exceptions: [...invoice.exceptions],
  }
}

const addressFields = { address: Type.String(), amount: decimalOut, expiresAt: timestampOut }

export const PaymentAddressView = Type.Object(addressFields, { title: 'PaymentAddress' })

export const MethodAddressView = Type.Object(
  {
    ...addressFields,
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    uri: Type.String({ description: 'a payment URI for wallets: EIP-681 or BIP 21' }),
  },
  { title: 'MethodAddress' },
)

export function paymentAddressView(codec: AddressCodec, shown: PaymentAddress) {
  return {
    address: codec.display(shown.address),
    amount: payerAmount(shown),
    expiresAt: timestamp(shown.expiresAt),
  }
}

export function methodAddressView(codec: AddressCodec, shown: PaymentAddress) {
  const { method, address, amountMinor } = shown
  return {
    ...paymentAddressView(codec, shown),
    paymentMethodID: method.id,
    symbol: method.symbol,
    uri: codec.paymentUri(transferAsset(method), address, amountMinor),
  }
}

function payerAmount({ amountMinor, method }: PaymentAddress): string {
  return formatDecimal(
    roundToDecimals(amountMinor, method.decimals, payerDecimals(method), 'up'),
    method.decimals,
  )
}

export function transferAsset({ contract }: PaymentMethod) {
  return contract === undefined ? ({ type: 'coin' } as const) : ({ type: 'token', contract } as const)
}

export const TransactionStateView = oneOf(['pending', 'confirmed', 'failed'], { title: 'TransactionState' })

/** How a transaction came to be known. */
export const foundByField = oneOf(['transfer', 'balance'], {
  title: 'TransactionFoundBy',
  description:
    '`transfer`: by a transaction on the chain; `balance`: found by balance, because its address held more coin than all known transactions brought. A payment that is found by balance has no hash',
})

/** The fields of a transaction about the network on which it came. */
export const wrongNetworkFields = {
  isWrongNetwork: Type.Boolean({
    description: 'whether it came on a network that its invoice does not offer; it does not pay the invoice',
    examples: [false],
  }),
  isCreditable: Type.Boolean({
    description: 'whether the merchant can credit it now, because it is confirmed and on the wrong network',
    examples: [false],
  }),
  creditFee: nullable(decimalOut, {
    description: 'the fee that is charged if the merchant credits it; null if it cannot be credited',
    examples: [null],
  }),
}

/** A deposit as the record of its invoice shows the deposit. `deposits/` builds the values. */
export const InvoiceTransactionView = Type.Object(
  {
    id: uuid,
    invoiceID: uuid,
    amount: decimalOut,
    currency: Type.String(),
    paymentMethodID: Type.Integer(),
    state: TransactionStateView,
    createdAt: timestampOut,
    confirmedAt: nullable(timestampOut),
    txHash: nullable(Type.String()),
    foundBy: foundByField,
    ...wrongNetworkFields,
  },
  { title: 'InvoiceTransaction' },
)

/** The newest deposits of an invoice, newest first, and the number of all its deposits. */
export interface InvoiceTransactions {
  readonly transactions: readonly Static<typeof InvoiceTransactionView>[]
  readonly total: number
}
