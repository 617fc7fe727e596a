import type { ModelAsset } from './asset.ts'

/** A withdrawal that a merchant ordered. */
export interface ModelOrder {
  /** The id may change: a request that is repeated under a key may run with another id until it is answered. */
  id: string
  readonly merchantId: string
  readonly asset: ModelAsset
  readonly address: string
  readonly amountMinor: bigint
  /** When the order was requested. */
  readonly requestedMs: number
  /**
   * Whether the API has accepted the order. As long as there is no answer, the service may or may not have
   * the order.
   */
  isAnswered: boolean
  isCancelled: boolean
}
