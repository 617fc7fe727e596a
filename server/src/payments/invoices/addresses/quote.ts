/** A price promised to a payer for one method of an invoice. */
export interface Quote {
  readonly id: string
  readonly invoiceId: string
  readonly paymentMethodId: number
  /** In 10^-12 USD per whole unit of the asset. */
  readonly priceUsd: bigint
  /** The whole invoice at this price, in the asset's smallest unit. */
  readonly fullMinor: bigint
  readonly quotedAt: Date
  readonly expiresAt: Date
}

const volatileMinutes = 20
const stableMinutes = 60
/** No quote is open longer. */
export const quoteMinutesMax = Math.max(volatileMinutes, stableMinutes)

/** When a quote made now ends: the earlier of its own life and the invoice's. */
export function quoteExpiry(now: Date, isStable: boolean, invoiceExpiresAt: Date | undefined): Date {
  const own = new Date(now.getTime() + (isStable ? stableMinutes : volatileMinutes) * 60_000)
  return invoiceExpiresAt !== undefined && invoiceExpiresAt < own ? invoiceExpiresAt : own
}

/**
 * The quote a payment made at `at` is valued at: the newest one open then. Block times are whole seconds and their
 * producers' clocks are not ours, so a payment stamped before the first quote takes that one: nobody can pay an
 * address before being shown it.
 * @param quotes of one invoice and method, oldest first
 */
export function quoteInForce<Q extends Quote>(quotes: readonly Q[], at: Date): Q | undefined {
  const [first] = quotes
  if (first !== undefined && at < first.quotedAt) return first
  return quotes.findLast((quote) => quote.quotedAt <= at && at < quote.expiresAt)
}
