import { groupBy } from '../../core/group-by.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { PaymentsOf } from './addresses/give-payment-address.ts'
import { invoiceEvent, type SettledInvoice } from './events.ts'
import type { Invoice, Payment, PaymentDetail } from './invoice.ts'
import { changesBetween, deriveStatus } from './status.ts'
import { type FullPaymentChange, readFullPayments, saveFullPayments, saveStatuses } from './status-store.ts'
import { type InvoiceInContext, lockInvoices } from './store.ts'

export interface SettleInvoicesParts {
  readonly methods: PaymentMethods
  readonly paymentsOf: PaymentsOf
}

/**
 * Derives the status of invoices from their deposits and stores the changes. Returns the events to append in
 * the same transaction. A deleted invoice has no events.
 */
export function settleInvoices(
  parts: SettleInvoicesParts,
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<readonly NewEvent[]> {
  return deriveAnew(parts, tx, invoiceIds, false)
}

/**
 * Derives and stores the status of invoices that have expired, and returns the events to append. Every block
 * mined before the expiry must be booked.
 */
export function lapseInvoices(
  parts: SettleInvoicesParts,
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<readonly NewEvent[]> {
  return deriveAnew(parts, tx, invoiceIds, true)
}

async function deriveAnew(
  { methods, paymentsOf }: SettleInvoicesParts,
  tx: Tx,
  invoiceIds: readonly string[],
  isLapsing: boolean,
): Promise<readonly NewEvent[]> {
  if (invoiceIds.length === 0) return []
  const invoices = await lockInvoices(tx, invoiceIds)
  const settled = await settleAll({ methods, paymentsOf }, tx, invoices, isLapsing)
  const rows = settled.filter(isNews).map(({ row }) => row)
  if (rows.length > 0) await saveStatuses(tx, rows)
  const changeRows = settled.flatMap(toFullPaymentChanges)
  if (changeRows.length > 0) await saveFullPayments(tx, changeRows)
  return settled
    .filter(({ context }) => context.invoice.deletedAt === undefined)
    .flatMap((one) => one.changes.map((change) => invoiceEvent(methods, one, change)))
}

/**
 * Derives the statuses of invoices and reads as few payments as possible. If an invoice becomes paid, its
 * payments are read again one by one, to find the payment that completed the invoice.
 */
async function settleAll(
  { paymentsOf }: SettleInvoicesParts,
  tx: Tx,
  invoices: readonly InvoiceInContext[],
  isLapsing: boolean,
): Promise<readonly SettledInvoice[]> {
  const payments = new Map<string, readonly Payment[]>()
  for (const [detail, some] of groupBy(invoices, ({ invoice }) => detailFor(invoice))) {
    for (const [id, own] of await paymentsOf(tx, idsOf(some), detail)) payments.set(id, own)
  }
  const emitted = await readFullPaymentsOf(tx, invoices, payments)
  const settleOne = (context: InvoiceInContext, own = payments.get(context.invoice.id)) =>
    settle(context, own ?? [], emitted.get(context.invoice.id) ?? new Set(), isLapsing)
  const settled = invoices.map((context) => settleOne(context))
  const becomePaid = settled.filter(({ context: { invoice }, changes }) => {
    return detailFor(invoice) === 'summed' && changes.some(({ type }) => type === 'invoice.paid')
  })
  const each = await paymentsOf(tx, idsOf(becomePaid.map(({ context }) => context)), 'each')
  return settled.map((one) => {
    const own = each.get(one.context.invoice.id)
    return own === undefined ? one : settleOne(one.context, own)
  })
}

/**
 * Returns which payments the status of an invoice needs. If the merchant accepted payments, each payment is
 * needed, because accepted payments are known by their deposit ids.
 */
function detailFor({ type, acceptedIds }: Invoice): PaymentDetail {
  if (type === 'reusable') return 'unsettled'
  return acceptedIds.length > 0 ? 'each' : 'summed'
}

async function readFullPaymentsOf(
  tx: Tx,
  invoices: readonly InvoiceInContext[],
  payments: ReadonlyMap<string, readonly Payment[]>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const reusable = idsOf(invoices.filter(({ invoice }) => invoice.type === 'reusable'))
  if (reusable.length === 0) return new Map()
  const ids = reusable.flatMap((id) => payments.get(id) ?? []).map(({ depositId }) => depositId)
  return readFullPayments(tx, reusable, ids)
}

function idsOf(invoices: readonly InvoiceInContext[]): readonly string[] {
  return invoices.map(({ invoice }) => invoice.id)
}

function settle(
  context: InvoiceInContext,
  payments: readonly Payment[],
  emitted: ReadonlySet<string>,
  isLapsing: boolean,
): SettledInvoice {
  const { invoice, rules, now } = context
  const status = deriveStatus(invoice, payments, rules, isLapsing)
  const changes = changesBetween(invoice, status, emitted)
  const row = {
    id: invoice.id,
    state: status.state,
    exceptions: status.exceptions,
    paidPeriods: Math.max(invoice.paidPeriods, ...changes.map(({ period }) => period)),
    paidAt: status.state === 'paid' ? (invoice.paidAt ?? now) : undefined,
    amlOk: payments.every(({ included, amlOk }) => amlOk || !included),
  }
  return { context, payments, status, row, changes }
}

function isNews({ context: { invoice }, row }: SettledInvoice): boolean {
  return (
    invoice.state !== row.state ||
    invoice.paidPeriods !== row.paidPeriods ||
    invoice.amlOk !== row.amlOk ||
    invoice.exceptions.join() !== row.exceptions.join()
  )
}

function toFullPaymentChanges({ context, changes }: SettledInvoice): readonly FullPaymentChange[] {
  return changes.flatMap(({ type, depositId }) =>
    depositId === undefined
      ? []
      : [{ invoiceId: context.invoice.id, depositId, isFull: type === 'invoice.paid' }],
  )
}
