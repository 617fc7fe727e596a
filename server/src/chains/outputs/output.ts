/** Outputs of UTXO chains that pay to addresses of ours. All functions of this file are pure. */

/** An output that pays to an address of ours. Its transaction is in a canonical block. */
export interface OwnOutput {
  /** In the form `<txid>:<vout>`. */
  readonly outpoint: string
  readonly txHash: string
  /** The address in canonical form. */
  readonly address: string
  readonly amountMinor: bigint
  readonly height: number
  /** Number of confirmations, counted from the output's own block, that the chain requires to spend it. */
  readonly maturesAfter: number
}

/** An output that a transaction in a canonical block spends. */
export interface SpentOutput {
  readonly outpoint: string
  /** The hash of the transaction that spends the output. */
  readonly txHash: string
  readonly height: number
}
