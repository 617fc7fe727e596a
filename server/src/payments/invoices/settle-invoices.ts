import { groupBy } from '../../core/group-by.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewEvent } from '../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { PaymentsOf } from './addresses/give-payment-address.ts'
import { invoiceEvent, type SettledInvoice } from './events.ts'
import type { Invoice, Payment, PaymentDetail } from './invoice.ts'
import { changesBetween, deriveStanding } from './standing.ts'
import { readTold, saveStandings, saveTold, type ToldRow } from './standing-store.ts'
import { type InvoiceInContext, lockInvoices } from './store.ts'

export interface SettleInvoicesParts {
  readonly methods: PaymentMethods
  readonly paymentsOf: PaymentsOf
}

/**
 * Derives invoices anew from their transactions, stores what changed and returns the events to append in the same
 * transaction. Of a deleted invoice nothing is told.
 */
export function settleInvoices(
  parts: SettleInvoicesParts,
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<readonly NewEvent[]> {
  return deriveAnew(parts, tx, invoiceIds, false)
}

/** The same of invoices whose time is over, once every block mined in it is booked. */
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
  if (rows.length > 0) await saveStandings(tx, rows)
  const toldRows = settled.flatMap(toToldRows)
  if (toldRows.length > 0) await saveTold(tx, toldRows)
  return settled
    .filter(({ context }) => context.invoice.deletedAt === undefined)
    .flatMap((one) => one.changes.map((change) => invoiceEvent(methods, one, change)))
}

/** By as few payments as decide it; one that becomes paid is looked at again, payment by payment, for what completed it. */
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
  const told = await readToldOf(tx, invoices, payments)
  const settleOne = (context: InvoiceInContext, own = payments.get(context.invoice.id)) =>
    settle(context, own ?? [], told.get(context.invoice.id) ?? new Set(), isLapsing)
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

/** What a merchant accepted is named by its transactions. */
function detailFor({ type, acceptedIds }: Invoice): PaymentDetail {
  if (type === 'reusable') return 'unsettled'
  return acceptedIds.length > 0 ? 'each' : 'summed'
}

async function readToldOf(
  tx: Tx,
  invoices: readonly InvoiceInContext[],
  payments: ReadonlyMap<string, readonly Payment[]>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const reusable = idsOf(invoices.filter(({ invoice }) => invoice.type === 'reusable'))
  if (reusable.length === 0) return new Map()
  const ids = reusable.flatMap((id) => payments.get(id) ?? []).map(({ transactionId }) => transactionId)
  return readTold(tx, reusable, ids)
}

function idsOf(invoices: readonly InvoiceInContext[]): readonly string[] {
  return invoices.map(({ invoice }) => invoice.id)
}

function settle(
  context: InvoiceInContext,
  payments: readonly Payment[],
  told: ReadonlySet<string>,
  isLapsing: boolean,
): SettledInvoice {
  const { invoice, rules, now } = context
  const standing = deriveStanding(invoice, payments, rules, isLapsing)
  const changes = changesBetween(invoice, standing, told)
  const row = {
    id: invoice.id,
    state: standing.state,
    exceptions: standing.exceptions,
    paidPeriods: Math.max(invoice.paidPeriods, ...changes.map(({ period }) => period)),
    paidAt: standing.state === 'paid' ? (invoice.paidAt ?? now) : undefined,
    amlOk: payments.every(({ included, amlOk }) => amlOk || !included),
  }
  return { context, payments, standing, row, changes }
}

function isNews({ context: { invoice }, row }: SettledInvoice): boolean {
  return (
    invoice.state !== row.state ||
    invoice.paidPeriods !== row.paidPeriods ||
    invoice.amlOk !== row.amlOk ||
    invoice.exceptions.join() !== row.exceptions.join()
  )
}

function toToldRows({ context, changes }: SettledInvoice): readonly ToldRow[] {
  return changes.flatMap(({ type, transactionId }) =>
    transactionId === undefined
      ? []
      : [{ invoiceId: context.invoice.id, transactionId, isFull: type === 'invoice.paid' }],
  )
}
