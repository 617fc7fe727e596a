/** What a signer asks of a kind of transactions: those of accounts, and those of coins. */
import type { SignedTransaction } from '../../chains/port.ts'
import type { Charge } from './policy.ts'

/** A request that was read. What it takes of the chain is known; whether it may be signed is not. */
export interface JudgedRequest {
  /**
   * What no other payout may take, as people are told of it: a nonce of a wallet, or each coin. The first is what every
   * attempt of a payout takes, so that at most one of them is ever mined.
   */
  readonly takes: readonly [string, ...string[]]
  /** @throws Refusal unless everything about it is as it must be */
  require(): void
  /** What counts against limits. @param isRepeated whether its payout was signed before: it spends no more, but for its fee */
  charges(isRepeated: boolean): readonly Charge[]
  sign(): Promise<SignedTransaction>
  /** Told once it is signed, or found in the log. */
  remember(txHash: string): void
}
