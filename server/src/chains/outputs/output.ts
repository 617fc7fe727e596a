/** Outputs that pay addresses of ours, on chains where money lies in outpoints. Everything here is pure. */

/** An output of a transaction in a canonical block that pays an address of ours. */
export interface Coin {
  /** `<txid>:<vout>` */
  readonly outpoint: string
  readonly txHash: string
  /** In canonical spelling. */
  readonly address: string
  readonly amountMinor: bigint
  readonly height: number
  /** Blocks, its own counted, before which the chain lets nobody spend it. */
  readonly maturesAfter: number
}

/** What transactions in canonical blocks spend. */
export interface SpentCoin {
  readonly outpoint: string
  /** Of the transaction that spends it. */
  readonly txHash: string
  readonly height: number
}
