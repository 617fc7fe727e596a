/** How deep each transaction ever was in its chain. A reorganisation takes nothing away from that. */
import type { FakeChain } from '../../src/chains/fake/fake-chain.ts'

/** More confirmations are not told apart. */
const countedMax = 4

export class Deepest {
  readonly #confirmations = new Map<string, number>()

  /** Counts the confirmations that a new block gives. Call it after each block. */
  note(chain: FakeChain): void {
    const { height } = chain.head
    for (let confirmations = 1; confirmations <= countedMax; confirmations += 1)
      for (const { hash } of chain.blockAt(height - confirmations + 1)?.transactions ?? [])
        this.#confirmations.set(hash, Math.max(confirmations, this.of(hash)))
  }

  /** Returns the most confirmations that a transaction ever had; 0 if it never was in a block. */
  of(txHash: string): number {
    return this.#confirmations.get(txHash) ?? 0
  }
}
