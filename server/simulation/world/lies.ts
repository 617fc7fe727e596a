/**
 * The transfers that a node invents. The node adds them to the blocks that it returns. Its other answers do
 * not show them.
 */
import { type FakeChain, type FakeMove, transfersIn } from '../../src/chains/fake/fake-chain.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../src/chains/port.ts'

export class Lies {
  readonly #chain: FakeChain
  /** The invented transfers, by block hash. */
  readonly #invented = new Map<string, readonly Transfer[]>()

  constructor(chain: FakeChain) {
    this.#chain = chain
  }

  /** Adds an invented transfer from an outside address to the newest block. */
  invent(move: Omit<FakeMove, 'sender'>): void {
    const invented = this.#chain.transaction([{ sender: this.#chain.newAddress(), ...move }])
    const { hash } = this.#chain.head
    this.#invented.set(hash, [...(this.#invented.get(hash) ?? []), ...transfersIn(invented)])
  }

  stop(): void {
    this.#invented.clear()
  }

  /** Returns a reader that adds the invented transfers to the answers of an honest reader. */
  reportedBy(honest: ChainReader): ChainReader {
    return {
      ...honest,
      readBlock: async (height, signal) => {
        const facts = await honest.readBlock(height, signal)
        return facts && this.#addedTo(facts)
      },
      requireSuccess: (block, txHashes, signal) => {
        const hashes = [...this.#invented.values()].flat().map(({ txHash }) => txHash)
        return honest.requireSuccess(
          block,
          txHashes.filter((txHash) => !hashes.includes(txHash)),
          signal,
        )
      },
    }
  }

  #addedTo(facts: BlockFacts): BlockFacts {
    const invented = this.#invented.get(facts.block.hash) ?? []
    return { ...facts, transfers: [...facts.transfers, ...invented] }
  }
}
