import type { Tx } from '../db/transaction.ts'
import type { NewEvent } from '../outbox/event.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { PaymentsOf } from './addresses/give-payment-address.ts'
import { invoiceEvent, type SettledInvoice } from './events.ts'
import type { Payment } from './invoice.ts'
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
 * @param isLapsing whether the time of these invoices is over and every block mined in it is booked
 */
export async function settleInvoices(
  { methods, paymentsOf }: SettleInvoicesParts,
  tx: Tx,
  invoiceIds: readonly string[],
  isLapsing: boolean,
): Promise<readonly NewEvent[]> {
  if (invoiceIds.length === 0) return []
  const invoices = await lockInvoices(tx, invoiceIds)
  const payments = await paymentsOf(tx, invoiceIds)
  const reusable = invoices.filter(({ invoice }) => invoice.type === 'reusable')
  const told =
    reusable.length === 0
      ? new Map<string, ReadonlySet<string>>()
      : await readTold(
          tx,
          reusable.map(({ invoice }) => invoice.id),
        )
  const settled = invoices.map((context) => {
    const { id } = context.invoice
    return settle(context, payments.get(id) ?? [], told.get(id) ?? new Set(), isLapsing)
  })
  const rows = settled.filter(isNews).map(({ row }) => row)
  if (rows.length > 0) await saveStandings(tx, rows)
  const toldRows = settled.flatMap(toToldRows)
  if (toldRows.length > 0) await saveTold(tx, toldRows)
  return settled
    .filter(({ context }) => context.invoice.deletedAt === undefined)
    .flatMap((one) => one.changes.map((change) => invoiceEvent(methods, one, change)))
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
  }
  return { context, payments, standing, row, changes }
}

function isNews({ context: { invoice }, row }: SettledInvoice): boolean {
  return (
    invoice.state !== row.state ||
    invoice.paidPeriods !== row.paidPeriods ||
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
