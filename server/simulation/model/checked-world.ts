/** The data that is compared with the model: the chain, and the answers of the service. */

import type { ModelAsset } from './asset.ts'
import type { Model } from './model.ts'
import type { CheckedChain } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** The state of an order according to the API; `unknown` if the API does not know the order. */
export type OrderState = 'pending' | 'completed' | 'failed' | 'cancelled' | 'rejected' | 'unknown'

/** A transaction of a hot wallet that paid an order or failed. */
export interface OurPayment {
  readonly network: string
  readonly recipient: string
  readonly contract: string | null
  /** The fee that the hot wallet paid. */
  readonly feeMinor: bigint
  /** Whether it moved nothing: it failed, or the token reports a success without a transfer. */
  readonly hasFailed: boolean
}

export interface CheckedWorld {
  readonly model: Model
  readonly assets: readonly ModelAsset[]
  readonly chains: readonly CheckedChain[]
  /** All addresses that the model knows and whose keys the installation holds. */
  readonly ours: ReadonlySet<string>
  /** The transfers on all chains. */
  readonly transfers: readonly TrueTransfer[]
  /** All transactions of the hot wallets of EVM networks that pay orders. */
  readonly payments: readonly OurPayment[]
  /** The network fee that the service reports to have charged to each failed order, in the order's asset, by order id. */
  readonly charges: ReadonlyMap<string, bigint>
}
