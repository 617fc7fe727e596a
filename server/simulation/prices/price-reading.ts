/** A request of the service to the price source, with the prices that it returned. */
export interface PriceReading {
  readonly askedMs: number
  /** When the job that stores the prices ended; undefined if it did not end. It may have stored them nevertheless. */
  storedMs: number | undefined
  /** The prices by symbol, in 10^-12 USD for a whole unit. */
  readonly pricesUsd: ReadonlyMap<string, bigint>
}

/** A request for the payment address of an invoice, and its answer. */
export interface AskedQuote {
  readonly invoiceId: string
  readonly requestedMs: number
  /** Undefined as long as there is no answer. The service may then have made a quote that nobody has seen. */
  answer: QuoteAnswer | undefined
}

export interface QuoteAnswer {
  readonly amountMinor: bigint
  readonly expiresMs: number
  readonly answeredMs: number
}
