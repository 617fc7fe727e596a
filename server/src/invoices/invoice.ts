import { divide, max } from '../core/money.ts'

export const invoiceTypes = ['onetime', 'reusable', 'collect', 'withdraw'] as const
export type InvoiceType = (typeof invoiceTypes)[number]
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
  const arrived = payments.filter((payment) => payment.included && payment.fullMinor !== undefined)
  const inTime = arrived.filter((payment) => isInTime(payment, invoice))
  const counted = rules.paidWhen === 'confirmed' ? inTime.filter(({ confirmed }) => confirmed) : inTime
  const needed = {
    numerator: BigInt(10_000 - rules.toleranceBasisPoints),
    denominator: 10_000n,
  }
  const completedBy = findCompleting(counted, needed)
  const exceptions: InvoiceException[] = []
  if (arrived.length > 0 && !reaches(addUp(inTime), needed)) exceptions.push('underpaid')
  if (isOverpaid(inTime)) exceptions.push('overpaid')
  if (inTime.length < arrived.length) exceptions.push('late')
  if (completedBy !== undefined) return { state: 'paid', exceptions, completedBy }
  return { state: invoice.state === 'expired' ? 'expired' : 'pending', exceptions, completedBy }
}

/**
 * What is still to be paid of `fullMinor`, rounded up to what a payer can see; 0 when nothing is. What is in a block
 * is not asked for again, also where the invoice is paid only once that is confirmed.
 */
export function dueMinor(
  fullMinor: bigint,
  stepMinor: bigint,
  invoice: Pick<Invoice, 'expiresAt'>,
  payments: readonly Payment[],
): bigint {
  const share = addUp(payments.filter((payment) => payment.included && isInTime(payment, invoice)))
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

function isInTime(payment: Payment, { expiresAt }: Pick<Invoice, 'expiresAt'>): boolean {
  return expiresAt === undefined || payment.inTimeAt < expiresAt
}

/** A share of the invoice, exact. */
interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

/**
 * Adds payments up. Those at one price are summed before anything is multiplied: there are few prices, but anyone
 * may send an invoice any number of payments.
 */
function addUp(payments: readonly Payment[]): Share {
  const byFull = new Map<bigint, bigint>()
  for (const { amountMinor, fullMinor } of payments) {
    if (fullMinor !== undefined) byFull.set(fullMinor, (byFull.get(fullMinor) ?? 0n) + amountMinor)
  }
  let share: Share = { numerator: 0n, denominator: 1n }
  for (const [fullMinor, amountMinor] of byFull) {
    share = {
      numerator: share.numerator * fullMinor + amountMinor * share.denominator,
      denominator: share.denominator * fullMinor,
    }
  }
  return share
}

function reaches(share: Share, needed: Share): boolean {
  return share.numerator * needed.denominator >= needed.numerator * share.denominator
}

/** The first payment with which the sum is enough. Amounts are above zero, so the sum only grows: found by halving. */
function findCompleting(counted: readonly Payment[], needed: Share): Payment | undefined {
  if (!reaches(addUp(counted), needed)) return undefined
  let enough = counted.length
  let tooFew = 0
  while (enough - tooFew > 1) {
    const middle = (enough + tooFew) >> 1
    if (reaches(addUp(counted.slice(0, middle)), needed)) enough = middle
    else tooFew = middle
  }
  return counted[enough - 1]
}

/** Over by at least a step a payer can see, in the asset paid last: rounding up a remainder is no overpayment. */
function isOverpaid(inTime: readonly Payment[]): boolean {
  const last = inTime.at(-1)
  if (last?.fullMinor === undefined) return false
  const { numerator, denominator } = addUp(inTime)
  return (numerator - denominator) * last.fullMinor >= last.stepMinor * denominator
}
