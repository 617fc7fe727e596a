/** A price promised to a payer for one method of an invoice. */
export interface Quote {
  readonly id: string
  readonly invoiceId: string
  readonly paymentMethodId: number
  /** In 10^-12 USD per whole unit of the asset. */
  readonly priceUsd: bigint
  /** The amount of the asset, in its smallest unit, that would pay the whole invoice at this price. */
  readonly fullMinor: bigint
  readonly quotedAt: Date
  readonly expiresAt: Date
}

const volatileMinutes = 20
const stableMinutes = 60
/** The longest time for which a quote is valid, in minutes. */
export const quoteMinutesMax = Math.max(volatileMinutes, stableMinutes)

/**
 * Returns when a quote made now expires. If the invoice expires before the quote's own lifetime ends, the
 * quote expires with the invoice.
 */
export function quoteExpiry(now: Date, isStable: boolean, invoiceExpiresAt: Date | undefined): Date {
  const own = new Date(now.getTime() + (isStable ? stableMinutes : volatileMinutes) * 60_000)
  return invoiceExpiresAt !== undefined && invoiceExpiresAt < own ? invoiceExpiresAt : own
}

/**
 * Returns the quote that decides the value of a payment made at `at`: the newest quote that was valid at that
 * time. A payment may have a time before the first quote, because block times are not exact. Such a payment
 * uses the first quote, because nobody can pay to an address before it is shown.
 * @param quotes The quotes of one invoice and method, oldest first.
 */
export function quoteInForce<Q extends Quote>(quotes: readonly Q[], at: Date): Q | undefined {
  const [first] = quotes
  if (first !== undefined && at < first.quotedAt) return first
  return quotes.findLast((quote) => quote.quotedAt <= at && at < quote.expiresAt)
}
