import { formatDecimal, roundToPlaces, sum } from '../core/money.ts'
import type { Tx } from '../db/transaction.ts'
import type { NewEvent } from '../outbox/event.ts'
import { type PaymentMethods, payerPlaces } from '../payment-methods/payment-method.ts'
import type { PaymentsOf } from './give-payment-address.ts'
import { changesBetween, deriveStanding, type InvoiceChange, type Payment, type Standing } from './invoice.ts'
import { type InvoiceInContext, lockInvoices, type StandingRow, saveStandings } from './store.ts'

export interface SettleInvoicesParts {
  readonly methods: PaymentMethods
  readonly paymentsOf: PaymentsOf
}

/**
 * Derives invoices anew from their transactions, stores what changed and returns the events to append in the same
 * transaction.
 * @param isOver whether the time of these invoices is over and every block mined in it is booked
 */
export async function settleInvoices(
  { methods, paymentsOf }: SettleInvoicesParts,
  tx: Tx,
  invoiceIds: readonly string[],
  isOver: boolean,
): Promise<readonly NewEvent[]> {
  if (invoiceIds.length === 0) return []
  const invoices = await lockInvoices(tx, invoiceIds)
  const payments = await paymentsOf(tx, invoiceIds)
  const rows: StandingRow[] = []
  const events: NewEvent[] = []
  for (const context of invoices) {
    const paid = payments.get(context.invoice.id) ?? []
    const standing = afterTime(deriveStanding(context.invoice, paid, context.rules), isOver)
    if (!isNews(context, standing)) continue
    const row = toRow(context, standing)
    rows.push(row)
    for (const type of changesBetween(context.invoice.state, standing)) {
      events.push(toEvent(methods, context, row, standing, paid, type))
    }
  }
  if (rows.length > 0) await saveStandings(tx, rows)
  return events
}

function afterTime(standing: Standing, isOver: boolean): Standing {
  return isOver && standing.state === 'pending' ? { ...standing, state: 'expired' } : standing
}

function isNews({ invoice }: InvoiceInContext, standing: Standing): boolean {
  return invoice.state !== standing.state || invoice.exceptions.join() !== standing.exceptions.join()
}

function toRow({ invoice, now }: InvoiceInContext, standing: Standing): StandingRow {
  const becomesPaid = standing.state === 'paid' && invoice.state !== 'paid'
  return {
    id: invoice.id,
    state: standing.state,
    exceptions: standing.exceptions,
    paidPeriods: invoice.paidPeriods + (becomesPaid ? 1 : 0),
    paidAt: standing.state === 'paid' ? (invoice.paidAt ?? now) : undefined,
  }
}

/** One event per invoice, kind and period of being paid: after a reorganisation it may be paid, and told, again. */
function toEvent(
  methods: PaymentMethods,
  { invoice, now, rules }: InvoiceInContext,
  row: StandingRow,
  standing: Standing,
  payments: readonly Payment[],
  type: InvoiceChange,
): NewEvent {
  const data =
    type === 'invoice.paid'
      ? paidData(methods, invoice.id, row, standing, payments, rules.paidWhen)
      : {
          invoiceID: invoice.id,
          amount: invoice.amount,
          state: standing.state,
          exceptions: standing.exceptions,
        }
  return {
    merchantId: invoice.merchantId,
    type,
    subject: `${invoice.id}:${row.paidPeriods}`,
    occurredAt: now,
    data,
  }
}

/** The completing transaction, its currency, and all that was received in that currency, rounded down. */
function paidData(
  methods: PaymentMethods,
  invoiceID: string,
  row: StandingRow,
  { completedBy }: Standing,
  payments: readonly Payment[],
  paidWhen: 'included' | 'confirmed',
): Record<string, unknown> {
  const method = completedBy && methods.byId(completedBy.paymentMethodId)
  if (completedBy === undefined || method === undefined)
    throw new Error(`invoice ${invoiceID} is paid by nothing`)
  const received = payments.filter(
    (payment) =>
      payment.paymentMethodId === method.id && payment[paidWhen] && payment.fullMinor !== undefined,
  )
  const receivedMinor = sum(received.map(({ amountMinor }) => amountMinor))
  return {
    invoiceID,
    amount: formatDecimal(
      roundToPlaces(receivedMinor, method.decimals, payerPlaces(method), 'down'),
      method.decimals,
    ),
    currency: method.symbol,
    paidAt: row.paidAt?.toISOString(),
    txHash: completedBy.txHash,
  }
}
