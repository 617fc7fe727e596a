import { divide, max } from '../core/money.ts'

export type InvoiceType = 'onetime' | 'reusable' | 'collect' | 'withdraw'
export type InvoiceState = 'pending' | 'paid' | 'expired'
/** Facts beside the state: some may hold together. */
export type InvoiceException = 'underpaid' | 'overpaid' | 'late'

export interface Invoice {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  /** As the merchant sent it. */
  readonly amount: string
  /** In 10^-8 USD. */
  readonly amountUsd: bigint
  readonly paymentMethodId: number
  readonly paymentMethodIds: readonly number[]
  readonly description: string | undefined
  readonly reference: string | undefined
  readonly amlOk: boolean
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly paidAt: Date | undefined
  /** How often it has become paid. */
  readonly paidPeriods: number
}

/** What the rules of an invoice see of one transaction to it. */
export interface Payment {
  readonly transactionId: string
  readonly txHash: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /** The whole invoice in this asset at the price the payment is valued at; undefined where it counts for nothing. */
  readonly fullMinor: bigint | undefined
  /** The smallest difference a payer can see. */
  readonly stepMinor: bigint
  readonly inTimeAt: Date
  readonly included: boolean
  readonly includedAt: Date | undefined
  readonly confirmed: boolean
}

/** How a merchant wants payments to count. */
export interface PaymentRules {
  readonly paidWhen: 'included' | 'confirmed'
  /** What may be missing, in hundredths of a percent. */
  readonly toleranceBasisPoints: number
}

/** What an invoice's transactions make of it. */
export interface Standing {
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  /** The payment with which it became full; undefined unless paid. */
  readonly completedBy: Payment | undefined
}

/**
 * Derives the standing of an invoice from all its transactions, in the order they were included. Nothing is
 * carried over but that it had expired: taking a payment away therefore undoes whatever it did. Amounts are
 * compared in asset units against what was quoted, never in USD.
 */
export function deriveStanding(
  invoice: Pick<Invoice, 'state' | 'expiresAt'>,
  payments: readonly Payment[],
  rules: PaymentRules,
): Standing {
  const counted = payments.filter((payment) => counts(payment, rules) && isInTime(payment, invoice))
  const needed = { numerator: BigInt(10_000 - rules.toleranceBasisPoints), denominator: 10_000n }
  const completedBy = findCompleting(counted, needed)
  const exceptions: InvoiceException[] = []
  const arrived = payments.filter((payment) => payment.included && payment.fullMinor !== undefined)
  if (completedBy === undefined && arrived.length > 0) exceptions.push('underpaid')
  if (isOverpaid(counted)) exceptions.push('overpaid')
  if (arrived.some((payment) => !isInTime(payment, invoice))) exceptions.push('late')
  if (completedBy !== undefined) return { state: 'paid', exceptions, completedBy }
  return { state: invoice.state === 'expired' ? 'expired' : 'pending', exceptions, completedBy }
}

/** What is still to be paid of `fullMinor`, rounded up to what a payer can see; 0 when nothing is. */
export function dueMinor(
  fullMinor: bigint,
  stepMinor: bigint,
  invoice: Pick<Invoice, 'expiresAt'>,
  payments: readonly Payment[],
  rules: PaymentRules,
): bigint {
  const share = addUp(payments.filter((payment) => counts(payment, rules) && isInTime(payment, invoice)))
  const left = max(0n, share.denominator - share.numerator)
  return divide(fullMinor * left, share.denominator * stepMinor, 'up') * stepMinor
}

/** What changed between two standings, as the events to tell. */
export type InvoiceChange = 'invoice.paid' | 'invoice.reverted' | 'invoice.expired' | 'invoice.underpaid'

export function changesBetween(before: InvoiceState, after: Standing): readonly InvoiceChange[] {
  if (before === after.state) return []
  if (after.state === 'paid') return ['invoice.paid']
  if (before === 'paid') return ['invoice.reverted']
  return after.exceptions.includes('underpaid')
    ? ['invoice.expired', 'invoice.underpaid']
    : ['invoice.expired']
}

/** Whether a payer may still be given an amount to send; decided at database time. */
export function isPayable(invoice: Pick<Invoice, 'state' | 'type' | 'expiresAt'>, now: Date): boolean {
  if (invoice.type === 'withdraw') return false
  const isOpen = invoice.state === 'pending' || (invoice.state === 'paid' && invoice.type === 'reusable')
  return isOpen && (invoice.expiresAt === undefined || now < invoice.expiresAt)
}

function counts(payment: Payment, rules: PaymentRules): boolean {
  return rules.paidWhen === 'confirmed' ? payment.confirmed : payment.included
}

function isInTime(payment: Payment, { expiresAt }: Pick<Invoice, 'expiresAt'>): boolean {
  return expiresAt === undefined || payment.inTimeAt < expiresAt
}

/** A share of the invoice, exact. */
interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

const nothing: Share = { numerator: 0n, denominator: 1n }

function addUp(payments: readonly Payment[]): Share {
  return payments.reduce(plus, nothing)
}

function plus(share: Share, { amountMinor, fullMinor }: Payment): Share {
  if (fullMinor === undefined) return share
  if (fullMinor === share.denominator) {
    return { numerator: share.numerator + amountMinor, denominator: fullMinor }
  }
  return {
    numerator: share.numerator * fullMinor + amountMinor * share.denominator,
    denominator: share.denominator * fullMinor,
  }
}

function findCompleting(counted: readonly Payment[], needed: Share): Payment | undefined {
  let share = nothing
  for (const payment of counted) {
    share = plus(share, payment)
    if (share.numerator * needed.denominator >= needed.numerator * share.denominator) return payment
  }
  return undefined
}

/** Over by at least a step a payer can see, in the asset paid last: rounding up a remainder is no overpayment. */
function isOverpaid(counted: readonly Payment[]): boolean {
  const last = counted.findLast(({ fullMinor }) => fullMinor !== undefined)
  if (last?.fullMinor === undefined) return false
  const { numerator, denominator } = addUp(counted)
  return (numerator - denominator) * last.fullMinor >= last.stepMinor * denominator
}
