/**
 * Simulates several nodes of one EVM network. Each node has its own blocks, mempool, faults and invented transfers.
 * Coffer reaches the nodes through its own quorum reader and sender.
 */
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { fakeAnswer, openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { type FakePool, openFakeSender } from '../../src/chains/fake/fake-sender.ts'
import type { AccountSender, BroadcastAnswer, ChainReader } from '../../src/chains/port.ts'
import type { Dice } from '../dice.ts'
import type { EvmSide } from './evm-side.ts'
import { Lies } from './lies.ts'

export type NodeFault = 'away' | 'lags' | 'fails some calls' | 'forks' | 'forgets its mempool'

const never = new AbortController().signal

/** Opens `count` nodes, which receive each new block of the true chain. */
export function openNodes(truth: EvmSide, seed: number, count: number): readonly Node[] {
  const nodes = Array.from({ length: count }, (_, index) => new Node(truth, seed, index + 1))
  const receive = () => {
    for (const node of nodes) node.receive()
  }
  receive()
  // A signal of all runs would keep the listener, and with it the chain, until the process ends.
  truth.chain.onHead(receive, new AbortController().signal)
  return nodes
}

export class Node {
  readonly reader: ChainReader
  readonly sender: AccountSender
  readonly lies: Lies
  /** Whether the node reports successful transactions as failed. */
  deniesSuccess = false
  /** The network of the node, with its true chain. */
  readonly truth: EvmSide
  /** The number of the node among those of its network, from 1. */
  readonly number: number
  readonly #chain: FakeChain
  readonly #pool: FakePool
  /** Number of blocks by which the node is behind the true chain. */
  #missing = 0
  /** Whether the node mines its own blocks and ignores those of the true chain. */
  #isForked = false

  constructor(truth: EvmSide, seed: number, number: number) {
    const {
      name: network,
      network: { chainId },
      pace: { finalDepth },
    } = truth
    this.truth = truth
    this.number = number
    this.#chain = new FakeChain({
      seed: `${seed}:${network} node ${number}`,
      conducts: truth.chain.conducts,
    })
    this.#pool = openFakeSender(this.#chain, { network, chainId })
    this.lies = new Lies(this.#chain)
    this.reader = this.lies.reportedBy(openFakeReader(this.#chain, { network, finalDepth }))
    this.sender = this.#openSender()
  }

  /** Receives the blocks of the true chain. A forked node mines its own block instead. */
  receive(): void {
    const { chain, sender } = this.truth
    this.#pool.fees = sender.fees
    this.#pool.dataFeeMinor = sender.dataFeeMinor
    if (this.#isForked) this.#pool.mine([], chain.head.minedAt)
    else this.#chain.follow(chain, Math.max(0, chain.head.height - this.#missing))
    this.#pool.prune()
  }

  suffer(fault: NodeFault, dice: Dice): void {
    this.heal()
    const { faults } = this.#chain
    if (fault === 'away') faults.away = true
    else if (fault === 'fails some calls') faults.failuresLeft = dice.between(1, 6)
    else if (fault === 'lags') this.#missing = dice.between(1, 4)
    else if (fault === 'forks') this.#fork(dice.between(1, 2))
    else for (const txHash of [...this.#chain.mempool]) this.#pool.drop(txHash)
    if (fault === 'lags') this.receive()
  }

  /** Ends all faults and invented answers. Afterwards, the node has the blocks of the true chain. */
  heal(): void {
    Object.assign(this.#chain.faults, { away: false, failuresLeft: 0 })
    this.#missing = 0
    this.#isForked = false
    this.beHonest()
    this.receive()
  }

  beHonest(): void {
    this.lies.stop()
    this.deniesSuccess = false
  }

  /** Starts a fork: the node drops its last blocks and mines one more block than it dropped. */
  #fork(depth: number): void {
    const { firstHeight, chain } = this.truth
    this.#isForked = true
    this.#chain.rollback(Math.max(0, Math.min(depth, this.#chain.head.height - firstHeight)))
    for (let blocks = 0; blocks <= depth; blocks += 1) this.#pool.mine([], chain.head.minedAt)
  }

  #openSender(): AccountSender {
    const pool = this.#pool
    return {
      network: pool.network,
      canDelegate: pool.canDelegate,
      readFees: async (signal) => {
        await fakeAnswer(this.#chain, signal)
        return this.truth.sender.fees
      },
      readDataFees: async (transactions, signal) => {
        await fakeAnswer(this.#chain, signal)
        return transactions.map(() => this.truth.sender.dataFeeMinor)
      },
      broadcast: (raw, signal) => this.#broadcast(raw, signal),
      readReceipts: async (txHashes, signal) => {
        const receipts = await pool.readReceipts(txHashes, signal)
        return receipts.map((one) => one && (this.deniesSuccess ? { ...one, isSuccess: false } : one))
      },
      estimateGas: (from, spend, signal) => pool.estimateGas(from, spend, signal),
      readNonces: (addresses, height, signal) => pool.readNonces(addresses, height, signal),
      readSentCounts: (addresses, signal) => pool.readSentCounts(addresses, signal),
      readSent: (txHash, signal) => pool.readSent(txHash, signal),
      findTaken: (address, nonce, height, signal) => pool.findTaken(address, nonce, height, signal),
      readDelegates: (addresses, signal) => pool.readDelegates(addresses, signal),
      hasCode: (address, signal) => pool.hasCode(address, signal),
      close: () => pool.close(),
    }
  }

  /**
   * Accepts a transaction and forwards it to the miners of the true chain. A forked node does not forward it.
   */
  async #broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer> {
    const answer = await this.#pool.broadcast(raw, signal)
    if (answer.type === 'taken' && !this.#isForked) await this.truth.sender.broadcast(raw, never)
    return answer
  }
}
