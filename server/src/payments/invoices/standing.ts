import { divide, max } from '../../core/money.ts'
import {
  endOf,
  type Invoice,
  type InvoiceException,
  type InvoiceState,
  type InvoiceTerms,
  type Payment,
  type PaymentRules,
  type Standing,
} from './invoice.ts'
import { addUp, findCompleting, isOver, neededShare, reaches, type Share } from './share.ts'

/** The payments of an invoice, sorted by how far they count. */
interface Counted {
  /** In a canonical block, in an asset that is offered. */
  readonly arrived: readonly Payment[]
  readonly inTime: readonly Payment[]
  /** In time, and confirmed where the merchant waits for that. */
  readonly counting: readonly Payment[]
  readonly needed: Share
}

/**
 * Derives the standing of an invoice from all its transactions, in the order they were included. Nothing is
 * carried over but that it had expired, and what its merchant decided: taking a payment away therefore undoes whatever
 * it did. Amounts are compared in asset units against what was quoted, never in USD.
 * @param isLapsing whether its time is over now, and every block mined in that time is booked
 */
export function deriveStanding(
  invoice: InvoiceTerms,
  payments: readonly Payment[],
  rules: PaymentRules,
  isLapsing = false,
): Standing {
  const isEnded = isLapsing || invoice.state === 'expired' || invoice.closedAt !== undefined
  const unpaid: InvoiceState = isEnded ? 'expired' : 'pending'
  // Nobody pays a withdraw invoice: it is paid by the payout of its claim, which is written where that completes.
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

/** `state` is undefined where nothing pays the invoice. */
interface Verdict {
  readonly state?: 'paid'
  readonly paidBy: readonly Payment[]
}

const unpaidVerdict: Verdict = { paidBy: [] }

/**
 * Onetime and collect: payments add up. What the merchant accepted pays as long as all of it is in blocks; a closed
 * collection is paid by whatever came in time.
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
  const accepted = arrived.filter(({ transactionId }) => ids.has(transactionId))
  return accepted.length === ids.size ? accepted.at(-1) : undefined
}

/**
 * Reusable: each payment that is enough by itself pays, and partial ones do not pool. One the merchant accepted is
 * enough. A closed invoice is paid once anything came in time, which makes no partial payment a full one.
 */
function payEach(
  { acceptedIds, closedAt }: InvoiceTerms,
  { arrived, inTime, counting, needed }: Counted,
): Verdict {
  const accepted = new Set(acceptedIds)
  const full = new Set(counting.filter((payment) => reaches(addUp([payment]), needed)))
  const paidBy = arrived.filter((payment) => full.has(payment) || accepted.has(payment.transactionId))
  const isPaid = paidBy.length > 0 || (closedAt !== undefined && inTime.length > 0)
  return isPaid ? { state: 'paid', paidBy } : unpaidVerdict
}

function exceptionsOfSum(
  { arrived, inTime, needed }: Counted,
  isCollecting: boolean,
): readonly InvoiceException[] {
  const exceptions: InvoiceException[] = []
  // A collection that is still open is not short of anything.
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
 * What is still to be paid of `fullMinor`, rounded up to what a payer can see; 0 when nothing is. What is in a block
 * is not asked for again, also where the invoice is paid only once that is confirmed. Payments of a reusable invoice do
 * not pool: each is asked for whole.
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

/** The payments that are in a block and in an asset the invoice offers. */
export function hasArrived({ included, fullMinor }: Payment): boolean {
  return included && fullMinor !== undefined
}

function isInTime(payment: Payment, invoice: InvoiceTerms): boolean {
  const end = endOf(invoice)
  return end === undefined || payment.inTimeAt < end
}

/** One thing to tell of an invoice. */
export interface InvoiceChange {
  readonly type: 'invoice.paid' | 'invoice.reverted' | 'invoice.expired' | 'invoice.underpaid'
  /** The period of being paid it belongs to. */
  readonly period: number
  /** The transaction of a reusable invoice it is about. */
  readonly transactionId: string | undefined
}

/**
 * What changed between two standings, as the events to tell. A reusable invoice tells of each full payment, others of
 * each time they become paid.
 * @param told the transactions of a reusable invoice whose full payment was told and not taken back
 */
export function changesBetween(
  before: Pick<Invoice, 'type' | 'state' | 'paidPeriods'>,
  after: Standing,
  told: ReadonlySet<string>,
): readonly InvoiceChange[] {
  const { type, state, paidPeriods } = before
  const change = (what: InvoiceChange['type'], period = paidPeriods): InvoiceChange => ({
    type: what,
    period,
    transactionId: undefined,
  })
  if (type === 'reusable') {
    const perPayment = changesOfPayments(before, after, told)
    // One closed on partial payments alone is paid without a full payment to tell of.
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
  { paidBy }: Standing,
  told: ReadonlySet<string>,
): readonly InvoiceChange[] {
  const full = new Set(paidBy.map(({ transactionId }) => transactionId))
  const gone = [...told].filter((id) => !full.has(id))
  const added = [...full].filter((id) => !told.has(id))
  return [
    ...gone.map(
      (transactionId): InvoiceChange => ({ type: 'invoice.reverted', period: paidPeriods, transactionId }),
    ),
    ...added.map(
      (transactionId, place): InvoiceChange => ({
        type: 'invoice.paid',
        period: paidPeriods + place + 1,
        transactionId,
      }),
    ),
  ]
}
