import type { TakeOutSource } from './own-money.ts'

/** pending: ordered, or on its way. failed: nothing left, and the amount is the operator's to use again. */
export const takeOutStates = ['pending', 'completed', 'failed'] as const
export type TakeOutState = (typeof takeOutStates)[number]

/** An operator's order to move money of its own from the hot wallets to the cold address. */
export interface TakeOut {
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly source: TakeOutSource
  readonly amountMinor: bigint
  readonly state: TakeOutState
  readonly txHash: string | undefined
  readonly createdAt: Date
  readonly endedAt: Date | undefined
}
