import { type Static, Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import { formatDecimal, roundToPlaces, sum } from '../../core/money.ts'
import { boundedText, decimalOf, idOf, nullable, timestampOut } from '../../platform/http/wire.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import { eventKind, eventOf } from '../../platform/outbox/event-kind.ts'
import {
  type PaymentMethod,
  type PaymentMethods,
  payerPlaces,
} from '../../pricing/payment-methods/payment-method.ts'
import type { Invoice, InvoiceException, Payment, Standing } from './invoice.ts'
import { hasArrived, type InvoiceChange } from './standing.ts'
import type { StandingRow } from './standing-store.ts'
import type { InvoiceInContext } from './store.ts'
import { InvoiceExceptionView, InvoiceStateView, InvoiceTypeView } from './view.ts'

/** Which invoice it is, in the merchant's own words too. Events that were told before these two fields were added lack them. */
const invoiceFields = {
  invoiceID: idOf('the invoice'),
  type: InvoiceTypeView,
  reference: nullable(
    Type.String({
      maxLength: limits.invoiceReferenceChars,
      description: 'what the merchant called it when it was made; null where it has none',
      examples: ['order-1042'],
    }),
  ),
}

/** What every event of an invoice says of it. */
function invoiceData({ id, type, reference }: Pick<Invoice, 'id' | 'type' | 'reference'>) {
  return { invoiceID: id, type, reference: reference ?? null }
}

const paidKind = eventKind({
  type: 'invoice.paid',
  fires:
    'An invoice was paid. Onetime and collect: when it becomes paid, about the transaction that completed it, with all that was received in its currency. Reusable: for each full payment, about that payment alone. Withdraw: when its claim was paid out. After a reorganisation of the chain an invoice can be paid, and told, once more.',
  data: Type.Object({
    ...invoiceFields,
    amount: decimalOf('what was received in this currency, rounded down to at most 6 places', '25'),
    currency: boundedText('the symbol of the asset it was paid in'),
    paidAt: timestampOut,
    txHash: boundedText('the transaction that paid it, or completed it'),
    amlOk: Type.Optional(
      Type.Literal(false, { description: 'only there where not all that was paid passed screening' }),
    ),
  }),
})

const amountDue = decimalOf('what the invoice asks for, in USD', '25')

function exceptionsLike(...example: readonly InvoiceException[]) {
  return Type.Array(InvoiceExceptionView, {
    maxItems: 3,
    description: 'facts beside the state',
    examples: [example],
  })
}

const lapsedKinds = {
  'invoice.expired': eventKind({
    type: 'invoice.expired',
    fires:
      'An invoice is over and was not paid in full: its time has passed, or it was closed. Where something had come in, `invoice.underpaid` follows.',
    data: Type.Object({
      ...invoiceFields,
      amount: amountDue,
      state: Type.Literal('expired'),
      exceptions: exceptionsLike(),
    }),
  }),
  'invoice.underpaid': eventKind({
    type: 'invoice.underpaid',
    fires: 'An invoice is over and was paid in part. What came in is credited all the same.',
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
    'What paid an invoice left the chain in a reorganisation, or was taken back: it is not paid any more. Usually the same transaction is mined again, and `invoice.paid` follows.',
  data: Type.Object({
    ...invoiceFields,
    amount: amountDue,
    state: InvoiceStateView,
    exceptions: exceptionsLike(),
    txHash: Type.Optional(
      nullable(
        boundedText(
          'of a reusable invoice: the transaction that no longer pays it; null where it is gone altogether',
        ),
      ),
    ),
  }),
})

/** What merchants are told of invoices. */
export const invoiceEventKinds = [paidKind, ...Object.values(lapsedKinds), revertedKind]

/** An invoice with its new standing and what there is to tell of it. */
export interface SettledInvoice {
  readonly context: InvoiceInContext
  readonly payments: readonly Payment[]
  readonly standing: Standing
  readonly row: StandingRow
  readonly changes: readonly InvoiceChange[]
}

/** What a merchant is told of an invoice. The period of being paid is part of the name: it may be paid, and told, again. */
export function invoiceEvent(
  methods: PaymentMethods,
  settled: SettledInvoice,
  change: InvoiceChange,
): NewEvent {
  const { invoice, now } = settled.context
  const { type, period, transactionId } = change
  const about = transactionId === undefined ? invoice.id : `${invoice.id}:${transactionId}`
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

function stateData({ context: { invoice }, standing }: SettledInvoice) {
  return {
    ...invoiceData(invoice),
    amount: invoice.amount,
    state: standing.state,
    exceptions: [...standing.exceptions],
  }
}

function revertedBy({ payments }: SettledInvoice, { transactionId }: InvoiceChange) {
  if (transactionId === undefined) return {}
  const payment = payments.find((one) => one.transactionId === transactionId)
  return { txHash: payment?.txHash ?? null }
}

function paidData(
  methods: PaymentMethods,
  { context, row, standing, payments }: SettledInvoice,
  { transactionId }: InvoiceChange,
): Static<typeof paidKind.data> {
  const { invoice, rules, now } = context
  const { paidBy } = standing
  const isOwn = transactionId !== undefined
  const completedBy = required(
    isOwn ? paidBy.find((one) => one.transactionId === transactionId) : paidBy.at(-1),
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

/** What arrived in the completing payment's asset and is as safe as it: an accepted payment need not be confirmed. */
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

/** The payout with which a claim was paid. */
export interface ClaimPayout {
  readonly method: PaymentMethod
  /** What its recipient got. */
  readonly amountMinor: bigint
  readonly txHash: string
}

/** `invoice.paid` of a withdraw invoice: what its claimant got, in which transaction. */
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

/** Rounded down to what the wire shows (spec: up to 6 decimal places): never more than was received. */
function receivedAmount(method: PaymentMethod, amountMinor: bigint): string {
  return formatDecimal(
    roundToPlaces(amountMinor, method.decimals, payerPlaces(method), 'down'),
    method.decimals,
  )
}
