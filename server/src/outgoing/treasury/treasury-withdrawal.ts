import type { TreasuryWithdrawalSource } from './own-money.ts'

/** `pending`: ordered or sent. `failed`: no money was moved, and the operator can use the amount again. */
export const treasuryWithdrawalStates = ['pending', 'completed', 'failed'] as const
export type TreasuryWithdrawalState = (typeof treasuryWithdrawalStates)[number]

/** An order to move the operator's own money from the hot wallets to the cold address. */
export interface TreasuryWithdrawal {
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly paymentMethodId: number
  readonly source: TreasuryWithdrawalSource
  readonly amountMinor: bigint
  readonly state: TreasuryWithdrawalState
  readonly txHash: string | undefined
  readonly createdAt: Date
  readonly endedAt: Date | undefined
}
