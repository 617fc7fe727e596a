/** What the model is compared with: the chain, and what the service reports. */
import type { Model, ModelAsset } from './model.ts'
import type { CheckedChain } from './transfers.ts'
import type { TrueTransfer } from './true-transfer.ts'

/** What the API says of an order: its state, or `unknown` if the API does not know the order. */
export type OrderState = 'pending' | 'completed' | 'failed' | 'cancelled' | 'rejected' | 'unknown'

/** A transaction of a hot wallet that paid an order, or failed to. */
export interface OurPayment {
  readonly recipient: string
  readonly contract: string | null
  /** The fee that the hot wallet paid. */
  readonly feeMinor: bigint
  readonly hasFailed: boolean
}

export interface CheckedWorld {
  readonly model: Model
  readonly assets: readonly ModelAsset[]
  readonly chains: readonly CheckedChain[]
  /** All addresses whose keys the installation holds and that the model knows. */
  readonly ours: ReadonlySet<string>
  /** The transfers on all chains. */
  readonly transfers: readonly TrueTransfer[]
  /** All transactions of the hot wallets of Ethereum that pay orders. */
  readonly payments: readonly OurPayment[]
}
