/** A payment on chain from one of our wallets, in a transaction that the database does not know. */
export interface SeenPayment {
  readonly network: string
  /** The contract of the token; null for the network's coin. */
  readonly contract: string | null
  readonly recipient: string
  readonly amountMinor: bigint
  /** Whether the recipient is the operator's cold address. */
  readonly isCold: boolean
  /** Orders that ended before this time are not matched with the payment. */
  readonly since: Date
}

/** The payments of one transaction that spent our UTXOs and that the database does not know. */
export interface SeenPayments {
  readonly network: string
  readonly recipients: readonly string[]
  /** Orders that ended before this time are not matched with the payments. */
  readonly since: Date
}
