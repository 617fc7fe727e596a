/** A payment by a transaction of ours that nobody here knows of, as the chain shows it. */
export interface SeenPayment {
  readonly network: string
  /** Null for the coin. */
  readonly contract: string | null
  readonly recipient: string
  readonly amountMinor: bigint
  /** Whether the recipient is the operator's cold address. */
  readonly isCold: boolean
  /** Orders that ended before have nothing to do with it. */
  readonly since: Date
}

/** The outputs of one transaction of ours that nobody here knows of, where money lies in coins. */
export interface SeenPayments {
  readonly network: string
  readonly recipients: readonly string[]
  /** Orders that ended before have nothing to do with it. */
  readonly since: Date
}
