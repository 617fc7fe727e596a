/** The chain of a simulation, with what payers, block producers and reorganisations do to it. */
import {
  FakeChain,
  type FakeMove,
  type FakeTransaction,
  transfersIn,
} from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { type FakePool, openFakeSender } from '../../src/chains/fake/fake-sender.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../src/chains/port.ts'
import type { Dice } from '../dice.ts'
import { chainId } from './fixed.ts'

export class ChainSide {
  readonly chain: FakeChain
  readonly reader: ChainReader
  readonly sender: FakePool
  /** The height of the last block that no reorganisation drops. */
  firstHeight = 0
  /** Transactions of payers that are not in a block: sent, or dropped by a reorganisation. */
  #waiting: FakeTransaction[] = []
  /** The transfers that the node invents, by block hash. */
  readonly #lies = new Map<string, readonly Transfer[]>()

  constructor(seed: number, genesisAt: Date) {
    this.chain = new FakeChain({ seed: `${seed}`, genesisAt })
    this.reader = this.#lyingReader(openFakeReader(this.chain))
    this.sender = openFakeSender(this.chain, { chainId })
  }

  /** Sends a payment of an outside payer, which the next block includes. */
  pay(move: Omit<FakeMove, 'sender'>, over: Partial<Pick<FakeTransaction, 'failed'>> = {}): void {
    const sender = this.chain.newAddress()
    this.#waiting.push(this.chain.transaction([{ sender, ...move }], over))
  }

  /**
   * Lets the node invent a transfer, which it adds to the head block whenever it is asked. Nothing else that the
   * node says shows it.
   */
  lie(move: Omit<FakeMove, 'sender'>): void {
    const invented = this.chain.transaction([{ sender: this.chain.newAddress(), ...move }])
    const { hash } = this.chain.head
    this.#lies.set(hash, [...(this.#lies.get(hash) ?? []), ...transfersIn(invented)])
  }

  /** Lets the node say only what is true. */
  stopLying(): void {
    this.#lies.clear()
  }

  #lyingReader(honest: ChainReader): ChainReader {
    const isInvented = (txHash: string) =>
      [...this.#lies.values()].flat().some((lie) => lie.txHash === txHash)
    return {
      ...honest,
      readBlock: async (height, signal) => {
        const facts = await honest.readBlock(height, signal)
        return facts && this.#withLies(facts)
      },
      requireSuccess: (block, txHashes, signal) =>
        honest.requireSuccess(
          block,
          txHashes.filter((txHash) => !isInvented(txHash)),
          signal,
        ),
    }
  }

  #withLies(facts: BlockFacts): BlockFacts {
    const lies = this.#lies.get(facts.block.hash)
    return lies === undefined ? facts : { ...facts, transfers: [...facts.transfers, ...lies] }
  }

  /** Adds a block. Each waiting payment is in it with this probability. */
  mine(dice: Dice, minedAt: Date, share = 1): void {
    const included = this.#waiting.filter(() => dice.chance(share))
    this.#waiting = this.#waiting.filter((one) => !included.includes(one))
    this.sender.mine(included, minedAt)
  }

  /**
   * Drops the last blocks, and mines as many again and one more. Transactions of payers are dropped for good
   * with the probability `lostShare`, because the payer spent the money elsewhere.
   */
  async reorganise(dice: Dice, depth: number, lostShare: number, minedAt: Date): Promise<number> {
    const most = Math.min(depth, this.chain.head.height - this.firstHeight)
    if (most <= 0) return 0
    for (const transaction of this.chain.rollback(most)) {
      if (transaction.signed === undefined) {
        if (!dice.chance(lostShare)) this.#waiting.push(transaction)
        continue
      }
      const raw = this.sender.rawOf(transaction.hash)
      if (raw === undefined) continue
      // The node puts most transactions of dropped blocks back into its mempool.
      if (dice.chance(0.8)) await this.sender.broadcast(raw, never)
    }
    for (let blocks = 0; blocks <= most; blocks += 1) this.mine(dice, minedAt, 0.6)
    return most
  }
}

const never = new AbortController().signal
