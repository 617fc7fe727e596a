/** What the model is compared with: the chain, and what the service reports. */
import type { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import type { Model, ModelAsset } from './model.ts'

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
  readonly chain: FakeChain
  /** All addresses whose keys the installation holds, besides those that were shown. */
  readonly hotWallets: readonly string[]
  /** All transactions of the hot wallets that pay orders. */
  readonly payments: readonly OurPayment[]
}
