/** A transfer in a block. */
export interface TrueTransfer {
  readonly network: string
  readonly txHash: string
  readonly contract: string | null
  /** The sender; empty on a UTXO chain, where a transaction has no single sender. */
  readonly sender: string
  /** Whether the transfer was sent with a key of ours. */
  readonly isFromUs: boolean
  readonly recipient: string
  readonly amountMinor: bigint
}
