/** An EVM network in a simulation, and the actions of payers and block producers. */
import type { EvmNetwork } from '../../src/chains/evm/evm-networks.ts'
import {
  type Conduct,
  FakeChain,
  type FakeMove,
  type FakeTransaction,
} from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { type FakePool, openFakeSender } from '../../src/chains/fake/fake-sender.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import type { Dice } from '../dice.ts'
import { Deepest } from './deepest.ts'
import { Lies } from './lies.ts'

/** What the chains of two EVM networks have different, as far as it matters to Coffer. */
interface Pace {
  /** How many blocks are mined while another network mines one. */
  readonly blocksMax: number
  /** Number of blocks between the head and the highest final block. Reorganisations are at most this deep. */
  readonly finalDepth: number
  /** The usual price of gas and the usual priority fee. */
  readonly gasMinor: bigint
  readonly priorityMinor: bigint
  /** The usual fee for the bytes of a transaction on the chain below; 0 if the network charges for gas alone. */
  readonly dataFeeMinor: bigint
}

const gwei = 10n ** 9n

const paces: Readonly<Record<EvmName, Pace>> = {
  ethereum: { blocksMax: 1, finalDepth: 2, gasMinor: 10n * gwei, priorityMinor: gwei, dataFeeMinor: 0n },
  // Most of the cost of a transaction is its data fee, as on the real network.
  base: {
    blocksMax: 4,
    finalDepth: 4,
    gasMinor: gwei / 10n,
    priorityMinor: gwei / 1_000n,
    dataFeeMinor: 10n ** 13n,
  },
}

/** The EVM networks of the simulation. */
export type EvmName = 'ethereum' | 'base'

interface EvmSideParts {
  readonly seed: number
  readonly genesisAt: Date
  readonly network: EvmNetwork & { readonly name: EvmName }
  /** How recipients behave. All EVM networks share it, because an address has one owner on all of them. */
  readonly conducts: Map<string, Conduct>
}

export class EvmSide {
  readonly network: EvmSideParts['network']
  readonly pace: Pace
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

  constructor({ seed, genesisAt, network, conducts }: EvmSideParts) {
    const { name, chainId } = network
    this.network = network
    this.pace = paces[name]
    this.chain = new FakeChain({ seed: `${seed} ${name}`, genesisAt, conducts })
    this.lies = new Lies(this.chain)
    const { finalDepth } = this.pace
    this.reader = this.lies.reportedBy(openFakeReader(this.chain, { network: name, finalDepth }))
    this.sender = openFakeSender(this.chain, { network: name, chainId })
    this.setPrices({ gasPercent: 100n, dataPercent: 100n })
  }

  get name(): EvmName {
    return this.network.name
  }

  /** Sets the price of gas and the data fee, in percent of the usual ones. */
  setPrices({
    gasPercent,
    dataPercent,
  }: {
    readonly gasPercent: bigint
    readonly dataPercent: bigint
  }): void {
    const { gasMinor, priorityMinor, dataFeeMinor } = this.pace
    this.sender.fees = {
      baseFeePerGas: (gasMinor * gasPercent) / 100n,
      maxPriorityFeePerGas: priorityMinor,
    }
    this.sender.dataFeeMinor = (dataFeeMinor * dataPercent) / 100n
  }

  /** The transactions that a reorganisation dropped, and that no block contains now. */
  get lost(): readonly FakeTransaction[] {
    return this.deepest.droppedFrom(this.chain)
  }

  /** Ends all faults of the node, and sets the usual prices. */
  calm(): void {
    Object.assign(this.chain.faults, { away: false, lagBlocks: 0, failuresLeft: 0 })
    this.lies.stop()
    this.setPrices({ gasPercent: 100n, dataPercent: 100n })
  }

  /**
   * Sends a payment from a new outside address, and returns that address. The next block can include the
   * payment.
   */
  pay(move: Omit<FakeMove, 'sender'>, over: Partial<Pick<FakeTransaction, 'failed'>> = {}): string {
    const sender = this.chain.newAddress()
    this.submit(this.chain.transaction([{ sender, ...move }], over))
    return sender
  }

  /** Sends a transaction of a payer. The next block can include it. */
  submit(transaction: FakeTransaction): void {
    this.#waiting.push(transaction)
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
