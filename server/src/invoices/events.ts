import { required } from '../core/assert.ts'
import { formatDecimal, roundToPlaces, sum } from '../core/money.ts'
import type { NewEvent } from '../outbox/event.ts'
import { type PaymentMethod, type PaymentMethods, payerPlaces } from '../payment-methods/payment-method.ts'
import type { Invoice, Payment, Standing } from './invoice.ts'
import { hasArrived, type InvoiceChange } from './standing.ts'
import type { StandingRow } from './standing-store.ts'
import type { InvoiceInContext } from './store.ts'

/** An invoice with its new standing and what there is to tell of it. */
export interface SettledInvoice {
  readonly context: InvoiceInContext
  readonly payments: readonly Payment[]
  readonly standing: Standing
  readonly row: StandingRow
  readonly changes: readonly InvoiceChange[]
}

/**
 * What a merchant is told of an invoice.
 *
 * `invoice.paid` is `{invoiceID, amount, currency, paidAt, txHash}` (spec, Events). Onetime and collect: one for each
 * time it becomes paid, about the transaction that completed it, with all that was received in its currency. Reusable:
 * one for each full payment, about that payment alone. It adds `amlOk: false` where not all that was paid passed screening. Withdraw: one, about the payout (`claimPaidEvent`).
 *
 * `invoice.expired`, `invoice.underpaid` and `invoice.reverted` are `{invoiceID, amount, state, exceptions}`, where
 * `amount` is the invoice's own in USD. A reusable invoice is reverted payment by payment, and adds `txHash`, null where
 * the transaction no longer pays it at all.
 *
 * The period of being paid is part of the name: after a reorganisation an invoice may be paid, and told, again.
 */
export function invoiceEvent(
  methods: PaymentMethods,
  settled: SettledInvoice,
  change: InvoiceChange,
): NewEvent {
  const { invoice, now } = settled.context
  const { type, period, transactionId } = change
  const about = transactionId === undefined ? invoice.id : `${invoice.id}:${transactionId}`
  return {
    merchantId: invoice.merchantId,
    type,
    subject: `${about}:${period}`,
    occurredAt: now,
    data: type === 'invoice.paid' ? paidData(methods, settled, change) : stateData(settled, change),
  }
}

function stateData(
  { context: { invoice }, standing, payments }: SettledInvoice,
  { transactionId }: InvoiceChange,
): Record<string, unknown> {
  const data = {
    invoiceID: invoice.id,
    amount: invoice.amount,
    state: standing.state,
    exceptions: standing.exceptions,
  }
  if (transactionId === undefined) return data
  const payment = payments.find((one) => one.transactionId === transactionId)
  return { ...data, txHash: payment?.txHash ?? null }
}

function paidData(
  methods: PaymentMethods,
  { context, row, standing, payments }: SettledInvoice,
  { transactionId }: InvoiceChange,
): Record<string, unknown> {
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
    invoiceID: invoice.id,
    amount: receivedAmount(method, sum(received.map(({ amountMinor }) => amountMinor))),
    currency: method.symbol,
    paidAt: (isOwn ? now : (row.paidAt ?? now)).toISOString(),
    txHash: completedBy.txHash,
    ...(!row.amlOk && { amlOk: false }),
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
  invoice: Pick<Invoice, 'id' | 'merchantId'>,
  { method, amountMinor, txHash }: ClaimPayout,
  paidAt: Date,
): NewEvent {
  return {
    merchantId: invoice.merchantId,
    type: 'invoice.paid',
    subject: `${invoice.id}:1`,
    occurredAt: paidAt,
    data: {
      invoiceID: invoice.id,
      amount: receivedAmount(method, amountMinor),
      currency: method.symbol,
      paidAt: paidAt.toISOString(),
      txHash,
    },
  }
}

/** Rounded down to what the wire shows (spec: up to 6 decimal places): never more than was received. */
function receivedAmount(method: PaymentMethod, amountMinor: bigint): string {
  return formatDecimal(
    roundToPlaces(amountMinor, method.decimals, payerPlaces(method), 'down'),
    method.decimals,
  )
}
