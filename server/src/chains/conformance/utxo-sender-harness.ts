/** A UTXO chain to which conformance tests send transactions, with UTXOs whose keys the tests hold. */

import type { SignedTransaction } from '../port.ts'
import type { UtxoSender } from '../utxo/utxo-port.ts'
import { never } from './harness.ts'

export interface UtxoSenderHarness {
  readonly sender: UtxoSender
  /** Whether the chain's nodes replace a transaction in the mempool by another with a higher fee. */
  readonly canReplace: boolean
  /** Returns a mined UTXO whose amount is at least 10^9 of the coin's smallest unit. */
  newUtxo(): Promise<HarnessUtxo>
  /**
   * Signs a transaction that spends a UTXO and pays the fee `feeMinor`. The last output of the transaction is
   * change that the tests can spend again.
   */
  spend(utxo: HarnessUtxo, feeMinor: bigint): Spending
  /** Adds a block of all transactions in the mempool. Returns the block's height. */
  mine(): Promise<number>
  /**
   * Adds a block that contains only the transaction of these bytes, and none from the mempool. Returns the
   * block's height.
   */
  mineOnly(raw: string): Promise<number>
  /** Drops the last `depth` blocks. Their transactions go back to the mempool. */
  rollback(depth: number): Promise<void>
  close(): Promise<void>
}

export interface HarnessUtxo {
  readonly outpoint: string
  readonly amountMinor: bigint
}

export interface Spending extends SignedTransaction {
  readonly change: HarnessUtxo
}

/** A small fee that suffices for any transaction in these tests. */
export const plainFeeMinor = 20_000n

/** Spends a UTXO and broadcasts the transaction. @throws Error if the node rejects it */
export async function spendUtxo(
  harness: UtxoSenderHarness,
  utxo: HarnessUtxo,
  feeMinor = plainFeeMinor,
): Promise<Spending> {
  const spent = harness.spend(utxo, feeMinor)
  const answer = await harness.sender.broadcast(spent.raw, never)
  if (answer.type === 'refused') throw new Error(`${answer.why}: ${answer.detail}`)
  return spent
}
