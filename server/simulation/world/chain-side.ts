/** Ethereum in a simulation, and the actions of payers and block producers. */
import { FakeChain, type FakeMove, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { type FakePool, openFakeSender } from '../../src/chains/fake/fake-sender.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import type { Dice } from '../dice.ts'
import { Deepest } from './deepest.ts'
import { chainId } from './fixed.ts'
import { Lies } from './lies.ts'

export class ChainSide {
  readonly name = 'ethereum'
  readonly deepest = new Deepest()
  readonly chain: FakeChain
  readonly reader: ChainReader
  readonly sender: FakePool
  /** The height of the newest block that no reorganisation may drop. */
  firstHeight = 0
  /** Transactions of payers that no block contains: new ones, and those that a reorganisation dropped. */
  #waiting: FakeTransaction[] = []
  /**
   * The transfers that the node invents in a seed with one node. If there are several nodes, each has its own invented
   * transfers.
   */
  readonly lies: Lies

  constructor(seed: number, genesisAt: Date) {
    this.chain = new FakeChain({ seed: `${seed}`, genesisAt })
    this.lies = new Lies(this.chain)
    this.reader = this.lies.reportedBy(openFakeReader(this.chain))
    this.sender = openFakeSender(this.chain, { chainId })
  }

  /** The transactions that a reorganisation dropped, and that no block contains now. */
  get lost(): readonly FakeTransaction[] {
    return this.deepest.droppedFrom(this.chain)
  }

  /** Ends all faults of the node, and sets an ordinary price of gas. */
  calm(): void {
    Object.assign(this.chain.faults, { away: false, lagBlocks: 0, failuresLeft: 0 })
    this.lies.stop()
    this.sender.fees = { baseFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
  }

  /**
   * Sends a payment from a new outside address, and returns that address. The next block can include the
   * payment.
   */
  pay(move: Omit<FakeMove, 'sender'>, over: Partial<Pick<FakeTransaction, 'failed'>> = {}): string {
    const sender = this.chain.newAddress()
    this.#waiting.push(this.chain.transaction([{ sender, ...move }], over))
    return sender
  }

  /** Adds a block. It includes each waiting payment with the probability `share`. */
  mine(dice: Dice, minedAt: Date, share = 1): void {
    const included = this.#waiting.filter(() => dice.chance(share))
    this.#waiting = this.#waiting.filter((one) => !included.includes(one))
    this.sender.mine(included, minedAt)
    this.deepest.note(this.chain)
  }

  /**
   * Drops the last blocks and mines one more block than it dropped. Each transaction of a payer is lost
   * forever with the probability `lostShare`, as if the payer had spent the money elsewhere.
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
      // The node puts most transactions of dropped blocks back into its mempool, unless it has a fault.
      const { away, failuresLeft } = this.chain.faults
      if (dice.chance(0.8) && !away && failuresLeft === 0) await this.sender.broadcast(raw, never)
    }
    for (let blocks = 0; blocks <= most; blocks += 1) this.mine(dice, minedAt, 0.6)
    return most
  }
}

const never = new AbortController().signal
