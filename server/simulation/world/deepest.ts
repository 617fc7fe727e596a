/**
 * Records all transactions that were ever in a block, and the highest number of confirmations that each of them ever
 * had. A reorganisation does not reduce it.
 */
import type { FakeChain, FakeTransaction } from '../../src/chains/fake/fake-chain.ts'

/** Confirmations are counted up to this number. */
const countedMax = 4

export class Deepest {
  readonly #confirmations = new Map<string, number>()
  readonly #firstMs = new Map<string, number>()
  readonly #mined = new Map<string, FakeTransaction>()

  /** Records the confirmations that the newest block adds. Call this function after each block. */
  note(chain: FakeChain): void {
    const { height } = chain.head
    const newest = chain.blockAt(height)
    for (const transaction of newest?.transactions ?? []) {
      const { hash } = transaction
      this.#mined.set(hash, transaction)
      if (!this.#firstMs.has(hash)) this.#firstMs.set(hash, newest?.ref.minedAt.getTime() ?? 0)
    }
    for (let confirmations = 1; confirmations <= countedMax; confirmations += 1)
      for (const { hash } of chain.blockAt(height - confirmations + 1)?.transactions ?? [])
        this.#confirmations.set(hash, Math.max(confirmations, this.of(hash)))
  }

  /** Returns the highest number of confirmations that a transaction ever had; 0 if it never was in a block. */
  of(txHash: string): number {
    return this.#confirmations.get(txHash) ?? 0
  }

  /** Returns the transactions that a reorganisation dropped, and that no block of the chain contains now. */
  droppedFrom(chain: FakeChain): readonly FakeTransaction[] {
    const inBlocks = new Set(chain.transactionsUpTo(chain.head.height).map(({ hash }) => hash))
    return [...this.#mined.values()].filter(({ hash }) => !inBlocks.has(hash))
  }

  /** Returns when the first block with a transaction was mined; 0 if it never was in a block. */
  firstMinedMs(txHash: string): number {
    return this.#firstMs.get(txHash) ?? 0
  }
}
