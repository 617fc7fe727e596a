export const invoiceTypes = ['onetime', 'reusable', 'collect', 'withdraw'] as const
export type InvoiceType = (typeof invoiceTypes)[number]
export const invoiceStates = ['pending', 'paid', 'expired'] as const
export type InvoiceState = (typeof invoiceStates)[number]
/** Facts beside the state: some may hold together. */
export const invoiceExceptions = ['underpaid', 'overpaid', 'late'] as const
export type InvoiceException = (typeof invoiceExceptions)[number]
/** Where the money of a `collect` invoice is. */
export const collectStates = ['collecting', 'sweeping', 'completed'] as const
export type CollectState = (typeof collectStates)[number]

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
  readonly redirectUrl: string | undefined
  readonly amlOk: boolean
  /** Of a `collect` invoice alone. */
  readonly collectState: CollectState | undefined
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  readonly paidAt: Date | undefined
  /** How often it has become paid; of a reusable one: how many full payments its merchant was told of. */
  readonly paidPeriods: number
  readonly archivedAt: Date | undefined
  /** A tombstone: it is on no list and route, and its address is still watched. */
  readonly deletedAt: Date | undefined
  /** When its merchant closed it. */
  readonly closedAt: Date | undefined
  /** The transactions that its merchant accepted as enough; empty where nothing was accepted. */
  readonly acceptedIds: readonly string[]
  /** Since when the claim of a `withdraw` invoice is being paid out, or was. */
  readonly claimedAt: Date | undefined
}

/** What an invoice's rules look at, beside its payments. */
export type InvoiceTerms = Pick<
  Invoice,
  'type' | 'state' | 'expiresAt' | 'closedAt' | 'deletedAt' | 'acceptedIds'
>

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
  /** The money is the merchant's: it has the confirmations it needs and is not in quarantine. */
  readonly confirmed: boolean
  /** False where its sender did not pass screening, or could not be screened so far. */
  readonly amlOk: boolean
}

/**
 * How much of an invoice's payments is read, which may be any number of them: each; or summed where the rules tell no
 * difference, which shows how an invoice stands and not which payment completed it; or of a reusable one, where payments
 * do not add up, those that are not settled, with one of each kind of the others.
 */
export type PaymentDetail = 'each' | 'summed' | 'unsettled'

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
  /** The payment with which it became full, or all full payments of a reusable one; empty unless paid. */
  readonly paidBy: readonly Payment[]
}

/**
 * From when on a payment is late: the end of its time, its closing, its deletion, whichever came first. Undefined:
 * never.
 */
export function endOf({
  expiresAt,
  closedAt,
  deletedAt,
}: Pick<Invoice, 'expiresAt' | 'closedAt' | 'deletedAt'>): Date | undefined {
  const ends = [expiresAt, closedAt, deletedAt].filter((end) => end !== undefined)
  return ends.length === 0 ? undefined : new Date(Math.min(...ends.map((end) => end.getTime())))
}

/** Whether a payer may still be given an amount to send; decided at database time. */
export function isPayable(
  invoice: Pick<Invoice, 'state' | 'type' | 'expiresAt' | 'closedAt' | 'deletedAt'>,
  now: Date,
): boolean {
  if (invoice.type === 'withdraw') return false
  const isOpen = invoice.state === 'pending' || (invoice.state === 'paid' && invoice.type === 'reusable')
  const end = endOf(invoice)
  return isOpen && (end === undefined || now < end)
}

/** What happens to the money of a `collect` invoice once it is over; told by whoever sweeps it. */
export type CollectFact = 'sweep-started' | 'sweep-dropped' | 'sweep-final'

/**
 * Collecting goes over to sweeping when a sweep of its addresses is planned, which needs the invoice to be over: its
 * target reached, closed, or its time past. A sweep that can no longer happen gives it back to collecting; a final one
 * completes it for good, and what is paid afterwards is swept without touching the state.
 * @returns the next state, or undefined where the fact changes nothing
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

/** What a new invoice is made of; the database gives it its time. */
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
  /** Undefined: it does not expire. */
  readonly lifeMinutes: number | undefined
  readonly collectState: CollectState | undefined
  /** SHA-256 of its claim token, for a `withdraw` invoice. */
  readonly claimHash: Buffer | undefined
}
