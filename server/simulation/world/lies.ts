/**
 * The transfers that a node reports although they did not happen: invented ones, and those of failed transactions. The
 * node adds them to the blocks that it returns. Its other answers do not show them.
 */
import { type FakeChain, type FakeMove, transfersIn } from '../../src/chains/fake/fake-chain.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../src/chains/port.ts'

export class Lies {
  readonly #chain: FakeChain
  /** The invented transfers, by block hash. */
  readonly #invented = new Map<string, readonly Transfer[]>()
  /** Whether the node's blocks list the transfers of failed transactions. Its receipts say that they failed. */
  listsFailed = false

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
    this.listsFailed = false
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
    const failed = this.listsFailed ? this.#failedAt(facts.block.height) : []
    return { ...facts, transfers: [...facts.transfers, ...failed, ...invented] }
  }

  /** Returns the transfers that the failed transactions of payers in a block would have made. */
  #failedAt(height: number): readonly Transfer[] {
    const transactions = this.#chain.blockAt(height)?.transactions ?? []
    return transactions
      .filter(({ failed, signed }) => failed && signed === undefined)
      .flatMap((transaction) => transfersIn({ ...transaction, failed: false }))
  }
}
