import type { TreasuryWithdrawalSource } from '../../src/outgoing/treasury/own-money.ts'
import type { TreasuryWithdrawalState } from '../../src/outgoing/treasury/treasury-withdrawal.ts'
import type { ModelAsset } from '../model/asset.ts'

/** A treasury withdrawal that the operator ordered. */
export interface ModelTreasuryOrder {
  readonly id: string
  readonly asset: ModelAsset
  readonly source: TreasuryWithdrawalSource
  readonly amountMinor: bigint
  /** Whether the API has accepted the order. Without an answer, the service may or may not have the order. */
  isAnswered: boolean
}

/** The states of the treasury withdrawals that the API knows, by id. */
export type TreasuryStates = ReadonlyMap<string, TreasuryWithdrawalState>
