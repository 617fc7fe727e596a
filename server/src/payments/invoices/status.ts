import { divide, max } from '../../core/money.ts'
import {
  endOf,
  type Invoice,
  type InvoiceException,
  type InvoiceState,
  type InvoiceStatus,
  type InvoiceTerms,
  type Payment,
  type PaymentRules,
} from './invoice.ts'
import { addUp, findCompleting, isOver, neededShare, reaches, type Share } from './share.ts'

/** Three sets of an invoice's payments. Each set is a subset of the set before. */
interface Counted {
  /** Payments in a canonical block, in an asset that the invoice offers. */
  readonly arrived: readonly Payment[]
  readonly inTime: readonly Payment[]
  /**
   * The payments that count towards the invoice. If the merchant waits for confirmation, these are the
   * confirmed payments in `inTime`. Otherwise they are all payments in `inTime`.
   */
  readonly counting: readonly Payment[]
  readonly needed: Share
}

/**
 * Derives the status of an invoice from all its payments, which are in the order of inclusion. The stored
 * invoice adds only three facts: it has expired, the claim of a withdraw invoice was paid, or the merchant
 * made a decision. A payment that was removed from its block therefore has no effect. Amounts are compared
 * with the quoted amounts in units of the asset, never in USD.
 * @param isLapsing Whether the invoice has expired now, and every block mined before the expiry is booked.
 */
export function deriveStatus(
  invoice: InvoiceTerms,
  payments: readonly Payment[],
  rules: PaymentRules,
  isLapsing = false,
): InvoiceStatus {
  const isEnded = isLapsing || invoice.state === 'expired' || invoice.closedAt !== undefined
  const unpaid: InvoiceState = isEnded ? 'expired' : 'pending'
  // A withdraw invoice receives no payments. Its state becomes paid when the withdrawal of its claim
  // completes.
  if (invoice.type === 'withdraw') {
    return { state: invoice.state === 'paid' ? 'paid' : unpaid, exceptions: [], paidBy: [] }
  }
  const counted = count(invoice, payments, rules)
  const { state = unpaid, paidBy } =
    invoice.type === 'reusable' ? payEach(invoice, counted) : payTogether(invoice, counted)
  const exceptions =
    invoice.type === 'reusable'
      ? exceptionsOfEach(counted)
      : exceptionsOfSum(counted, invoice.type === 'collect' && state === 'pending')
  return { state, exceptions, paidBy }
}

function count(invoice: InvoiceTerms, payments: readonly Payment[], rules: PaymentRules): Counted {
  const arrived = payments.filter(hasArrived)
  const inTime = arrived.filter((payment) => isInTime(payment, invoice))
  const counting = rules.paidWhen === 'confirmed' ? inTime.filter(({ confirmed }) => confirmed) : inTime
  return { arrived, inTime, counting, needed: neededShare(rules) }
}

/** The payments that pay an invoice. `state` is undefined if the invoice is not paid. */
interface Verdict {
  readonly state?: 'paid'
  readonly paidBy: readonly Payment[]
}

const unpaidVerdict: Verdict = { paidBy: [] }

/**
 * Determines what pays a onetime or collect invoice, whose payments are added up. Payments that the merchant
 * accepted pay the invoice as long as all of them are in blocks. A closed invoice is paid by the payments
 * that came in time, whatever their sum is.
 */
function payTogether(invoice: InvoiceTerms, { arrived, inTime, counting, needed }: Counted): Verdict {
  const completing =
    findCompleting(counting, needed) ??
    lastAccepted(invoice, arrived) ??
    (invoice.closedAt === undefined ? undefined : inTime.at(-1))
  return completing === undefined ? unpaidVerdict : { state: 'paid', paidBy: [completing] }
}

function lastAccepted({ acceptedIds }: InvoiceTerms, arrived: readonly Payment[]): Payment | undefined {
  const ids = new Set(acceptedIds)
  const accepted = arrived.filter(({ depositId }) => ids.has(depositId))
  return accepted.length === ids.size ? accepted.at(-1) : undefined
}

/**
 * Determines which payments pay a reusable invoice. Its payments are not added up: a payment must be enough
 * by itself, or accepted by the merchant. A closed invoice is paid if any payment came in time, even a
 * partial one. A partial payment still does not count as a full payment: it is in `paidBy` only if the
 * merchant accepted it.
 */
function payEach(
  { acceptedIds, closedAt }: InvoiceTerms,
  { arrived, inTime, counting, needed }: Counted,
): Verdict {
  const accepted = new Set(acceptedIds)
  const full = new Set(counting.filter((payment) => reaches(addUp([payment]), needed)))
  const paidBy = arrived.filter((payment) => full.has(payment) || accepted.has(payment.depositId))
  const isPaid = paidBy.length > 0 || (closedAt !== undefined && inTime.length > 0)
  return isPaid ? { state: 'paid', paidBy } : unpaidVerdict
}

function exceptionsOfSum(
  { arrived, inTime, needed }: Counted,
  isCollecting: boolean,
): readonly InvoiceException[] {
  const exceptions: InvoiceException[] = []
  // A collect invoice that is still open is never underpaid.
  if (!isCollecting && arrived.length > 0 && !reaches(addUp(inTime), needed)) exceptions.push('underpaid')
  if (isOver(inTime)) exceptions.push('overpaid')
  if (inTime.length < arrived.length) exceptions.push('late')
  return exceptions
}

function exceptionsOfEach({ arrived, inTime, needed }: Counted): readonly InvoiceException[] {
  const exceptions: InvoiceException[] = []
  if (inTime.some((payment) => !reaches(addUp([payment]), needed))) exceptions.push('underpaid')
  if (inTime.some((payment) => isOver([payment]))) exceptions.push('overpaid')
  if (inTime.length < arrived.length) exceptions.push('late')
  return exceptions
}

/**
 * Returns the part of `fullMinor` that is still due, or 0. The amount is rounded up to the smallest step that
 * a payer can see. Payments in a block are deducted, even if the merchant waits for their confirmation. For a
 * reusable invoice, whose payments are not added up, the full amount is always due.
 */
export function dueMinor(
  fullMinor: bigint,
  stepMinor: bigint,
  invoice: InvoiceTerms,
  payments: readonly Payment[],
): bigint {
  const pooled = invoice.type === 'reusable' ? [] : payments
  const share = addUp(pooled.filter((payment) => payment.included && isInTime(payment, invoice)))
  const left = max(0n, share.denominator - share.numerator)
  return divide(fullMinor * left, share.denominator * stepMinor, 'up') * stepMinor
}

/** Returns whether a payment is in a block and in an asset that the invoice offers. */
export function hasArrived({ included, fullMinor }: Payment): boolean {
  return included && fullMinor !== undefined
}

function isInTime(payment: Payment, invoice: InvoiceTerms): boolean {
  const end = endOf(invoice)
  return end === undefined || payment.inTimeAt < end
}

/** A change of an invoice, for which one event is sent. */
export interface InvoiceChange {
  readonly type: 'invoice.paid' | 'invoice.reverted' | 'invoice.expired' | 'invoice.underpaid'
  /** The number of the paid period to which the change belongs. */
  readonly period: number
  /**
   * The deposit that became a full payment of a reusable invoice, or is no longer a full payment. Undefined
   * for invoices of other types.
   */
  readonly depositId: string | undefined
}

/**
 * Returns the changes of an invoice between two statuses, each for one event. A reusable invoice reports each
 * full payment. Other invoices report each time that they become paid.
 * @param emitted The deposits of a reusable invoice that were reported as full payments and not reverted.
 */
export function changesBetween(
  before: Pick<Invoice, 'type' | 'state' | 'paidPeriods'>,
  after: InvoiceStatus,
  emitted: ReadonlySet<string>,
): readonly InvoiceChange[] {
  const { type, state, paidPeriods } = before
  const change = (what: InvoiceChange['type'], period = paidPeriods): InvoiceChange => ({
    type: what,
    period,
    depositId: undefined,
  })
  if (type === 'reusable') {
    const perPayment = changesOfPayments(before, after, emitted)
    // A reusable invoice that was closed with only partial payments is paid, but has no full payment to
    // report.
    if (perPayment.length > 0 || state === 'paid' || after.state === 'paid') return perPayment
  }
  if (state === after.state) return []
  if (state === 'paid') return [change('invoice.reverted')]
  if (after.state === 'paid') return [change('invoice.paid', paidPeriods + 1)]
  const isShort = after.exceptions.includes('underpaid')
  return isShort ? [change('invoice.expired'), change('invoice.underpaid')] : [change('invoice.expired')]
}

function changesOfPayments(
  { paidPeriods }: Pick<Invoice, 'paidPeriods'>,
  { paidBy }: InvoiceStatus,
  emitted: ReadonlySet<string>,
): readonly InvoiceChange[] {
  const full = new Set(paidBy.map(({ depositId }) => depositId))
  const gone = [...emitted].filter((id) => !full.has(id))
  const added = [...full].filter((id) => !emitted.has(id))
  return [
    ...gone.map((depositId): InvoiceChange => ({ type: 'invoice.reverted', period: paidPeriods, depositId })),
    ...added.map(
      (depositId, index): InvoiceChange => ({
        type: 'invoice.paid',
        period: paidPeriods + index + 1,
        depositId,
      }),
    ),
  ]
}
