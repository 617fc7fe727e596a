export const invoiceTypes = ['onetime', 'reusable', 'collect', 'withdraw'] as const
export type InvoiceType = (typeof invoiceTypes)[number]
export const invoiceStates = ['pending', 'paid', 'expired'] as const
export type InvoiceState = (typeof invoiceStates)[number]
/**
 * What is unusual about the payments of an invoice. Exceptions do not depend on the invoice's state, and
 * several may apply at once.
 */
export const invoiceExceptions = ['underpaid', 'overpaid', 'late'] as const
export type InvoiceException = (typeof invoiceExceptions)[number]
/**
 * Where the money of a `collect` invoice is. `collecting`: at the invoice's addresses. `sweeping`: in a
 * sweep. `completed`: swept.
 */
export const collectStates = ['collecting', 'sweeping', 'completed'] as const
export type CollectState = (typeof collectStates)[number]

export interface Invoice {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  /** The amount in USD, as the merchant sent it. */
  readonly amount: string
  /** The same amount, in 10^-8 USD. */
  readonly amountUsd: bigint
  readonly paymentMethodId: number
  readonly paymentMethodIds: readonly number[]
  readonly description: string | undefined
  readonly reference: string | undefined
  readonly redirectUrl: string | undefined
  readonly amlOk: boolean
  /** Set only for a `collect` invoice. */
  readonly collectState: CollectState | undefined
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly paidAt: Date | undefined
  /**
   * How often the invoice became paid. For a reusable invoice, the number of full payments that were reported
   * to its merchant.
   */
  readonly paidPeriods: number
  readonly archivedAt: Date | undefined
  /** Set for a tombstone. No list or route shows a tombstone, but its addresses are still watched. */
  readonly deletedAt: Date | undefined
  /** When the merchant closed the invoice. */
  readonly closedAt: Date | undefined
  /** The ids of the deposits that the merchant accepted although they were too small or late. */
  readonly acceptedIds: readonly string[]
  /** When somebody claimed a `withdraw` invoice. Undefined again if the withdrawal fails or is cancelled. */
  readonly claimedAt: Date | undefined
}

/** The fields of an invoice that, together with its payments, decide its status. */
export type InvoiceTerms = Pick<
  Invoice,
  'type' | 'state' | 'expiresAt' | 'closedAt' | 'deletedAt' | 'acceptedIds'
>

/** The fields of a deposit that decide how it counts for its invoice. */
export interface Payment {
  readonly depositId: string
  readonly txHash: string
  readonly paymentMethodId: number
  readonly amountMinor: bigint
  /**
   * The amount of this asset that would pay the whole invoice at this payment's price. Undefined if the
   * payment pays no part of the invoice.
   */
  readonly fullMinor: bigint | undefined
  /** The smallest amount of this asset that the checkout displays. */
  readonly stepMinor: bigint
  readonly inTimeAt: Date
  readonly included: boolean
  readonly includedAt: Date | undefined
  /** True if the deposit is confirmed and not in quarantine, so that its money belongs to the merchant. */
  readonly confirmed: boolean
  /** False if the payment's sender did not pass screening, or could not be screened so far. */
  readonly amlOk: boolean
}

/**
 * Which payments of an invoice are read. `each`: every payment. `summed`: sums of payments that have the same
 * effect. Sums decide the status, but do not show which payment completed the invoice. `unsettled`: for a
 * reusable invoice, all payments that can still change the status, and examples of the other payments. Sums
 * and examples are used because an invoice may have any number of payments.
 */
export type PaymentDetail = 'each' | 'summed' | 'unsettled'

/** The merchant's settings that decide how payments count. */
export interface PaymentRules {
  readonly paidWhen: 'included' | 'confirmed'
  /** The share of the invoice's amount that may be missing, in hundredths of a percent. */
  readonly toleranceBasisPoints: number
}

/** The status of an invoice, derived from its payments. */
export interface InvoiceStatus {
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  /**
   * The payment that completed the invoice, or all full payments of a reusable invoice; empty if the invoice
   * is not paid.
   */
  readonly paidBy: readonly Payment[]
}

/**
 * Returns the time from which a payment is late: the earliest of expiry, closing and deletion. Returns
 * undefined if no payment can be late.
 */
export function endOf({
  expiresAt,
  closedAt,
  deletedAt,
}: Pick<Invoice, 'expiresAt' | 'closedAt' | 'deletedAt'>): Date | undefined {
  const ends = [expiresAt, closedAt, deletedAt].filter((end) => end !== undefined)
  return ends.length === 0 ? undefined : new Date(Math.min(...ends.map((end) => end.getTime())))
}

/** Returns whether a payer may still be shown an amount to pay. `now` is the database's time. */
export function isPayable(
  invoice: Pick<Invoice, 'state' | 'type' | 'expiresAt' | 'closedAt' | 'deletedAt'>,
  now: Date,
): boolean {
  if (invoice.type === 'withdraw') return false
  const isOpen = invoice.state === 'pending' || (invoice.state === 'paid' && invoice.type === 'reusable')
  const end = endOf(invoice)
  return isOpen && (end === undefined || now < end)
}

/**
 * What sweeps report about the money of a `collect` invoice: a sweep of the money started, was dropped, or is
 * final.
 */
export type CollectFact = 'sweep-started' | 'sweep-dropped' | 'sweep-final'

/**
 * An invoice that is no longer pending changes from `collecting` to `sweeping` when a sweep of its addresses
 * starts. If the sweep is dropped, the invoice returns to `collecting`. If the sweep is final, the state
 * becomes `completed` and never changes again. Later payments are swept without a change of the state.
 * @returns the next state, or undefined if the fact changes nothing
 */
export function nextCollectState(
  { collectState, state }: Pick<Invoice, 'collectState' | 'state'>,
  fact: CollectFact,
): CollectState | undefined {
  if (collectState === 'collecting')
    return fact === 'sweep-started' && state !== 'pending' ? 'sweeping' : undefined
  if (collectState !== 'sweeping' || fact === 'sweep-started') return undefined
  return fact === 'sweep-final' ? 'completed' : 'collecting'
}

/** The fields of a new invoice, except its times, which the database sets. */
export interface NewInvoice {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  readonly amount: string
  readonly amountUsd: bigint
  readonly paymentMethodIds: readonly number[]
  readonly description: string | undefined
  readonly reference: string | undefined
  readonly redirectUrl: string | undefined
  /** If undefined, the invoice does not expire. */
  readonly lifetimeMinutes: number | undefined
  readonly collectState: CollectState | undefined
  /** SHA-256 of the claim token, for a `withdraw` invoice. */
  readonly claimHash: Buffer | undefined
}
