/**
 * Records the highest number of confirmations that each transaction ever had. A reorganisation does not
 * reduce it.
 */
import type { FakeChain } from '../../src/chains/fake/fake-chain.ts'

/** Confirmations are counted up to this number. */
const countedMax = 4

export class Deepest {
  readonly #confirmations = new Map<string, number>()
  readonly #firstMs = new Map<string, number>()

  /** Records the confirmations that the newest block adds. Call this function after each block. */
  note(chain: FakeChain): void {
    const { height } = chain.head
    const newest = chain.blockAt(height)
    for (const { hash } of newest?.transactions ?? [])
      if (!this.#firstMs.has(hash)) this.#firstMs.set(hash, newest?.ref.minedAt.getTime() ?? 0)
    for (let confirmations = 1; confirmations <= countedMax; confirmations += 1)
      for (const { hash } of chain.blockAt(height - confirmations + 1)?.transactions ?? [])
        this.#confirmations.set(hash, Math.max(confirmations, this.of(hash)))
  }

  /** Returns the highest number of confirmations that a transaction ever had; 0 if it never was in a block. */
  of(txHash: string): number {
    return this.#confirmations.get(txHash) ?? 0
  }

  /** Returns when the first block with a transaction was mined; 0 if it never was in a block. */
  firstMinedMs(txHash: string): number {
    return this.#firstMs.get(txHash) ?? 0
  }
}
