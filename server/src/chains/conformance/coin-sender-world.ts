/** A chain of coins to which a conformance suite sends, with coins whose keys it has. */

import type { SignedTransaction } from '../port.ts'
import type { CoinSender } from '../utxo/coin-port.ts'
import { never } from './world.ts'

export interface CoinSenderWorld {
  readonly sender: CoinSender
  /** Whether its nodes take what is dearer in place of what waits. */
  readonly canReplace: boolean
  /** A coin in a block, of 10^9 or more of the smallest unit. */
  newCoin(): Promise<WorldCoin>
  /** Spends a coin whole but for the fee, to somebody and, as its last output, back to a coin of ours. */
  spend(coin: WorldCoin, feeMinor: bigint): Spending
  /** Adds a block of all that waits; returns its height. */
  mine(): Promise<number>
  /** Adds a block of these bytes alone, whatever waits; returns its height. */
  mineOnly(raw: string): Promise<number>
  /** Drops the last `depth` blocks; what they held waits again. */
  rollback(depth: number): Promise<void>
  close(): Promise<void>
}

export interface WorldCoin {
  readonly outpoint: string
  readonly amountMinor: bigint
}

export interface Spending extends SignedTransaction {
  readonly change: WorldCoin
}

/** Enough for any transaction here, and little. */
export const plainFeeMinor = 20_000n

/** Spends and broadcasts; the node must take it. */
export async function sendCoin(
  world: CoinSenderWorld,
  coin: WorldCoin,
  feeMinor = plainFeeMinor,
): Promise<Spending> {
  const spent = world.spend(coin, feeMinor)
  const answer = await world.sender.broadcast(spent.raw, never)
  if (answer.type === 'refused') throw new Error(`${answer.why}: ${answer.detail}`)
  return spent
}
