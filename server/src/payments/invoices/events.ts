import { type Static, Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import { formatDecimal, roundToDecimals, sum } from '../../core/money.ts'
import { boundedText, decimalOf, idOf, nullable, timestampOut } from '../../platform/http/wire.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import { eventKind, eventOf } from '../../platform/outbox/event-kind.ts'
import {
  type PaymentMethod,
  type PaymentMethods,
  payerDecimals,
} from '../../pricing/payment-methods/payment-method.ts'
import type { Invoice, InvoiceException, InvoiceStatus, Payment } from './invoice.ts'
import { hasArrived, type InvoiceChange } from './status.ts'
import type { StatusRow } from './status-store.ts'
import type { InvoiceInContext } from './store.ts'
import { InvoiceExceptionView, InvoiceStateView, InvoiceTypeView } from './view.ts'

/**
 * Identifies the invoice by its id and by the merchant's own reference. Events that were emitted before the
 * fields `type` and `reference` existed lack these two fields.
 */
const invoiceFields = {
  invoiceID: idOf('the invoice'),
  type: InvoiceTypeView,
  reference: nullable(
    Type.String({
      maxLength: limits.invoiceReferenceChars,
      description: 'the merchant’s own reference from its creation; null if it has none',
      examples: ['order-1042'],
    }),
  ),
}

/** Returns the fields that every event of an invoice has. */
function invoiceData({ id, type, reference }: Pick<Invoice, 'id' | 'type' | 'reference'>) {
  return { invoiceID: id, type, reference: reference ?? null }
}

const paidKind = eventKind({
  type: 'invoice.paid',
  fires:
    'An invoice was paid. Onetime and collect: when the invoice becomes paid; the data names the transaction that completed it and everything that was received in its currency. Reusable: for each full payment, with the data of that payment. Withdraw: when its claim was paid out. After a chain reorganisation, an invoice can become paid again, and the event is sent again.',
  data: Type.Object({
    ...invoiceFields,
    amount: decimalOf('the amount received in this currency, rounded down to at most 6 decimal places', '25'),
    currency: boundedText('the symbol of the asset in which it was paid'),
    paidAt: timestampOut,
    txHash: boundedText('the hash of the transaction that paid or completed it'),
    amlOk: Type.Optional(
      Type.Literal(false, { description: 'present only if a payment did not pass screening' }),
    ),
  }),
})

const amountDue = decimalOf('the amount of the invoice in USD', '25')

function exceptionsLike(...example: readonly InvoiceException[]) {
  return Type.Array(InvoiceExceptionView, {
    maxItems: 3,
    description: 'exceptions in addition to the state',
    examples: [example],
  })
}

const lapsedKinds = {
  'invoice.expired': eventKind({
    type: 'invoice.expired',
    fires:
      'An invoice ended without being paid in full: it expired or was closed. If a part was paid, `invoice.underpaid` follows.',
    data: Type.Object({
      ...invoiceFields,
      amount: amountDue,
      state: Type.Literal('expired'),
      exceptions: exceptionsLike(),
    }),
  }),
  'invoice.underpaid': eventKind({
    type: 'invoice.underpaid',
    fires: 'An invoice ended and was paid in part. The received payments are credited nevertheless.',
    data: Type.Object({
      ...invoiceFields,
      amount: amountDue,
      state: Type.Literal('expired'),
      exceptions: exceptionsLike('underpaid'),
    }),
  }),
} as const

const revertedKind = eventKind({
  type: 'invoice.reverted',
  fires:
    'An invoice is no longer paid, because a reorganisation removed its payment from the chain or the payment was taken back. Usually the same transaction is mined again, and `invoice.paid` follows.',
  data: Type.Object({
    ...invoiceFields,
    amount: amountDue,
    state: InvoiceStateView,
    exceptions: exceptionsLike(),
    txHash: Type.Optional(
      nullable(
        boundedText(
          'for a reusable invoice: the transaction that no longer pays it; null if that transaction no longer exists',
        ),
      ),
    ),
  }),
})

/** The events about invoices that merchants receive. */
export const invoiceEventKinds = [paidKind, ...Object.values(lapsedKinds), revertedKind]

/** An invoice with its new status, and the changes for which events are built. */
export interface SettledInvoice {
  readonly context: InvoiceInContext
  readonly payments: readonly Payment[]
  readonly status: InvoiceStatus
  readonly row: StatusRow
  readonly changes: readonly InvoiceChange[]
}

/**
 * Builds the event for a change of an invoice. The number of the paid period is part of the event's subject,
 * because an invoice can become paid more than once.
 */
export function invoiceEvent(
  methods: PaymentMethods,
  settled: SettledInvoice,
  change: InvoiceChange,
): NewEvent {
  const { invoice, now } = settled.context
  const { type, period, depositId } = change
  const about = depositId === undefined ? invoice.id : `${invoice.id}:${depositId}`
  const occasion = { merchantId: invoice.merchantId, subject: `${about}:${period}`, occurredAt: now }
  switch (type) {
    case 'invoice.paid':
      return eventOf(paidKind, occasion, paidData(methods, settled, change))
    case 'invoice.reverted':
      return eventOf(revertedKind, occasion, { ...stateData(settled), ...revertedBy(settled, change) })
    default:
      return eventOf(lapsedKinds[type], occasion, { ...stateData(settled), state: 'expired' })
  }
}

function stateData({ context: { invoice }, status }: SettledInvoice) {
  return {
    ...invoiceData(invoice),
    amount: invoice.amount,
    state: status.state,
    exceptions: [...status.exceptions],
  }
}

function revertedBy({ payments }: SettledInvoice, { depositId }: InvoiceChange) {
  if (depositId === undefined) return {}
  const payment = payments.find((one) => one.depositId === depositId)
  return { txHash: payment?.txHash ?? null }
}

function paidData(
  methods: PaymentMethods,
  { context, row, status, payments }: SettledInvoice,
  { depositId }: InvoiceChange,
): Static<typeof paidKind.data> {
  const { invoice, rules, now } = context
  const { paidBy } = status
  const isOwn = depositId !== undefined
  const completedBy = required(
    isOwn ? paidBy.find((one) => one.depositId === depositId) : paidBy.at(-1),
    'what pays a paid invoice',
  )
  const method = required(methods.byId(completedBy.paymentMethodId), 'the method of a payment')
  const received = isOwn ? [completedBy] : receivedWith(completedBy, payments, rules.paidWhen)
  return {
    ...invoiceData(invoice),
    amount: receivedAmount(method, sum(received.map(({ amountMinor }) => amountMinor))),
    currency: method.symbol,
    paidAt: (isOwn ? now : (row.paidAt ?? now)).toISOString(),
    txHash: completedBy.txHash,
    ...(!row.amlOk && { amlOk: false as const }),
  }
}

/**
 * Returns the payments in a block in the same asset as the completing payment. `paidWhen` is the merchant's
 * setting: a payment counts when it is in a block, or when it is confirmed. If the completing payment
 * satisfies this condition, only payments that satisfy it too are returned. A payment that the merchant
 * accepted may complete the invoice without satisfying it.
 */
function receivedWith(
  completedBy: Payment,
  payments: readonly Payment[],
  paidWhen: 'included' | 'confirmed',
): readonly Payment[] {
  return payments.filter(
    (payment) =>
      payment.paymentMethodId === completedBy.paymentMethodId &&
      hasArrived(payment) &&
      (payment[paidWhen] || !completedBy[paidWhen]),
  )
}

/** The withdrawal that paid a claim. */
export interface ClaimPayout {
  readonly method: PaymentMethod
  /** The amount that the recipient received. */
  readonly amountMinor: bigint
  readonly txHash: string
}

/**
 * Builds `invoice.paid` for a withdraw invoice. The event contains the amount that the recipient received,
 * and the transaction.
 */
export function claimPaidEvent(
  invoice: Pick<Invoice, 'id' | 'merchantId' | 'type' | 'reference'>,
  { method, amountMinor, txHash }: ClaimPayout,
  paidAt: Date,
): NewEvent {
  const occasion = { merchantId: invoice.merchantId, subject: `${invoice.id}:1`, occurredAt: paidAt }
  return eventOf(paidKind, occasion, {
    ...invoiceData(invoice),
    amount: receivedAmount(method, amountMinor),
    currency: method.symbol,
    paidAt: paidAt.toISOString(),
    txHash,
  })
}

/**
 * Formats an amount with at most 6 decimal places, as the specification requires. The amount is rounded down,
 * so that it is never more than was received.
 */
function receivedAmount(method: PaymentMethod, amountMinor: bigint): string {
  return formatDecimal(
    roundToDecimals(amountMinor, method.decimals, payerDecimals(method), 'down'),
    method.decimals,
  )
}
